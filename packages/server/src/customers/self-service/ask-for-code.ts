import { DAY_MS, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { networksOf } from '../../ground/base/network-address.ts';
import { mintOrderedUuid } from '../../ground/base/random.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { countRates, lockRates, type RateLimit } from '../../platform/rates/rates.ts';
import { hashOfAddress } from '../mail/address.ts';
import { queueMail } from '../mail/outbox.ts';
import { codeMail } from './code-mail.ts';
import { LIMITS, TIMES } from './settings.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';
import { areOpen, saveSignIn } from './sign-in-store.ts';

/**
 * Asks for a code by mail (rules 13.3). Runs the same statements for every address: a known one, an unknown one, and
 * one that has asked too often. The mail job decides whether a mail follows.
 */
export const askForCode = inner('askForCode', CUSTOMER, CUSTOMER_CALLS.askForCode, [
  'code_request_rate',
  'code_requests_full',
]).write(async (tx, { fields, address, origin: { now }, ruleContext }) => {
  const settings = ruleContext.settings.selfService;
  const networks = address === null ? [] : networksOf(address);
  const ofNetworks = networks.map(({ name, times }) => ({
    subject: `requests of ${name}`,
    max: LIMITS.requestsOfNetwork * times,
    windowMs: HOUR_MS,
  }));
  const retryAfterSeconds = await countRates(tx, ofNetworks, now);
  if (retryAfterSeconds !== null) return refuse('code_request_rate', { retryAfterSeconds });
  const createdAt = toTimestamp(now);
  if (settings === null || (await areOpen(tx, settings.maxOpenRequests, createdAt)))
    return refuse('code_requests_full', { retryAfterSeconds: 60 });
  const emailFolded = foldEmail(fields.email);
  const rates = await lockRates(tx, limitsOfAddress(emailFolded, networks[0]?.name ?? 'no network'), now);
  const isSilent = rates.pauseSeconds() !== null;
  if (!isSilent) rates.count();
  await rates.save();
  const [browser, requestId, creatorId] = [fields.browser, mintOrderedUuid(now), fields.shop ?? null];
  await saveSignIn(tx, {
    browser,
    requestId,
    emailFolded,
    creatorId,
    isSilent,
    tries: 0,
    createdAt,
    expiresAt: toTimestamp(now + TIMES.code),
  });
  if (ruleContext.settings.sendsMail)
    await queueMail(tx, {
      kind: codeMail,
      to: emailFolded,
      creatorId,
      language: fields.language,
      licenseKey: null,
      data: { browser, request: requestId },
      now,
    });
  return {};
});

function limitsOfAddress(emailFolded: string, network: string): readonly RateLimit[] {
  const address = hashOfAddress(emailFolded);
  const { codesOfAddress, codesOfAddressAndNetwork } = LIMITS;
  return [
    { subject: `codes of ${address} in a day`, max: codesOfAddress.day, windowMs: DAY_MS },
    { subject: `codes of ${address} in an hour`, max: codesOfAddress.hour, windowMs: HOUR_MS },
    { subject: `codes of ${address} for ${network}`, max: codesOfAddressAndNetwork, windowMs: HOUR_MS },
  ];
}
