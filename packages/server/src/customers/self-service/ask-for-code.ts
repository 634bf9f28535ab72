import { HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { networksOf } from '../../ground/base/network-address.ts';
import { mintOrderedUuid } from '../../ground/base/random.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { askRates, countRates } from '../../platform/rates/rates.ts';
import { queueMail } from '../mail/outbox.ts';
import { codeMail } from './code-mail.ts';
import { isKnownBrowser } from './known-browser.ts';
import { LIMITS, TIMES } from './settings.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';
import { areOpen, saveSignIn } from './sign-in-store.ts';

/**
 * Asks for a code by mail (rules 13.3). Runs the same statements for every address: a known one, an unknown one, and
 * one that has got too many. The mail job decides whether an e-mail follows, and counts it.
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
  // Asked before anything is counted: a refused form writes nothing.
  const known = await askRates(tx, ofNetworks, now);
  if (known !== null) return refuse('code_request_rate', { retryAfterSeconds: known });
  const createdAt = toTimestamp(now);
  if (settings === null || (await areOpen(tx, settings.maxOpenRequests, createdAt)))
    return refuse('code_requests_full', { retryAfterSeconds: 60 });
  const retryAfterSeconds = await countRates(tx, ofNetworks, now);
  if (retryAfterSeconds !== null) return refuse('code_request_rate', { retryAfterSeconds });
  const emailFolded = foldEmail(fields.email);
  const [browser, requestId, creatorId] = [fields.browser, mintOrderedUuid(now), fields.shop ?? null];
  await saveSignIn(tx, {
    browser,
    requestId,
    emailFolded,
    creatorId,
    network: networks[0]?.name ?? null,
    isKnown: isKnownBrowser(settings.codeKey, fields.known, { emailFolded, creatorId }, now),
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
