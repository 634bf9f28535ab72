import { DAY_MS, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { networksOf } from '../../ground/base/network-address.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { askRates, lockRates } from '../../platform/rates/rates.ts';
import { codeOfRequest, isCode } from './code.ts';
import { proofOfSignIn } from './known-browser.ts';
import { beginCustomerSession } from './session.ts';
import { LIMITS, MAX_TRIES } from './settings.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';
import { countTryOf, deleteSignIn } from './sign-in-store.ts';

/**
 * Exchanges a mailed code for a session, in the browser that asked for it (rules 13.3). Every code that does not fit is
 * refused in the same words, and counts for the network.
 */
export const enterCode = inner('enterCode', CUSTOMER, CUSTOMER_CALLS.enterCode, [
  'code_not_accepted',
  'wrong_code_rate',
]).write(async (tx, { fields, address, origin: { now }, ruleContext }) => {
  const settings = ruleContext.settings.selfService;
  const networks = address === null ? [] : networksOf(address);
  const limits = networks.map(({ name, times }) => ({
    subject: `wrong codes of ${name}`,
    max: LIMITS.wrongCodesOfNetwork * times,
    windowMs: HOUR_MS,
  }));
  const known = await askRates(tx, limits, now);
  if (known !== null) return refuse('wrong_code_rate', { retryAfterSeconds: known });
  // Locked before the code is compared, so that guesses at once are counted one after the other.
  const rates = await lockRates(tx, limits, now);
  const retryAfterSeconds = rates.pauseSeconds();
  if (retryAfterSeconds !== null) return refuse('wrong_code_rate', { retryAfterSeconds });
  const signIn = await countTryOf(tx, fields.browser, MAX_TRIES, toTimestamp(now));
  const isRight =
    settings !== null &&
    signIn !== undefined &&
    // One made more than a day from now came from a clock that was ahead.
    signIn.createdAt <= toTimestamp(now + DAY_MS) &&
    isCode(fields.code, codeOfRequest(settings.codeKey, signIn.requestId)) &&
    (await deleteSignIn(tx, fields.browser));
  if (!isRight) {
    rates.count();
    await rates.save();
    return refuse('code_not_accepted');
  }
  const who = { emailFolded: signIn.emailFolded, creatorId: signIn.creatorId };
  return {
    endsAt: await beginCustomerSession(tx, { ...who, sessionId: fields.newSession, staffName: null }, now),
    known: proofOfSignIn(settings.codeKey, who, now),
  };
});
