import { DAY_MS } from '../../ground/base/clock.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { countRates } from '../../platform/rates/rates.ts';
import { keysMail } from '../mail/keys-mail.ts';
import { queueMail } from '../mail/outbox.ts';
import { addressAtShop, signedInBy } from './session.ts';
import { LIMITS } from './settings.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

/** Mails the keys of the customer's licenses to the customer's address (rules 13.3). */
export const mailMyKeys = inner('mailMyKeys', CUSTOMER, CUSTOMER_CALLS.mailMyKeys, [
  'customer_not_signed_in',
  'keys_mailed_lately',
  'mail_off',
]).write(async (tx, { fields, now: at, ruleContext }) => {
  const signedIn = await signedInBy(tx, fields.session, { now: at, ruleContext });
  if (isRefusal(signedIn)) return signedIn;
  const { session, scope, now } = signedIn;
  if (!ruleContext.settings.sendsMail) return refuse('mail_off');
  const limit = {
    subject: `keys to ${addressAtShop(session.emailFolded, session.creatorId)}`,
    max: LIMITS.keyMailsOfAddress,
    windowMs: DAY_MS,
  };
  const retryAfterSeconds = await countRates(tx, [limit], now);
  if (retryAfterSeconds !== null) return refuse('keys_mailed_lately', { retryAfterSeconds });
  if (scope !== null)
    await queueMail(tx, {
      kind: keysMail,
      to: session.emailFolded,
      creatorId: scope.creatorId,
      language: fields.language,
      licenseKey: null,
      data: {},
      now,
    });
  return {};
});
