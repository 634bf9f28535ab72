/** The limits of e-mails that staff and creators cause by name of the recipient (rules 13.1). */
import { DAY_MS } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { askRates, countRates } from '../../platform/rates/rates.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { hashOfAddress } from './address.ts';

/** E-mails to one address within a day, so that nobody can fill a customer's mailbox. */
export const MAX_TO_ADDRESS = 3;
/** E-mails of one creator within a day: a creator names the recipients, so an API key could mail the whole world. */
export const MAX_OF_CREATOR = 100;

/** Counts an e-mail to an address; refuses one beyond the limits. */
export async function refuseMailRate(
  tx: Tx,
  to: string,
  { creatorId: caller }: Scope,
  now: number,
): Promise<Refusal<'mail_rate' | 'creator_mail_rate'> | null> {
  // By caller: a creator must not use up the e-mails that the operator or another creator may send to the address.
  const toAddress = {
    subject: `keys ${caller === null ? 'of the operator' : `of ${caller}`} to ${hashOfAddress(foldEmail(to))}`,
    ...{ max: MAX_TO_ADDRESS, windowMs: DAY_MS, partMs: 1 },
  };
  const ofCreator = { subject: `keys of ${caller}`, max: MAX_OF_CREATOR, windowMs: DAY_MS };
  const retryAfterSeconds = await countRates(tx, caller === null ? [toAddress] : [toAddress, ofCreator], now);
  if (retryAfterSeconds === null) return null;
  const isOfCreator = caller !== null && (await askRates(tx, [ofCreator], now)) !== null;
  return refuse(isOfCreator ? 'creator_mail_rate' : 'mail_rate', { retryAfterSeconds });
}
