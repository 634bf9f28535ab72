import { inner } from '../../platform/endpoint/inner.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { keysOf, listCards, refOfLicense } from './cards.ts';
import { signedInBy } from './session.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

const PAGE_SIZE = 50;

/** The licenses of a customer (rules 13.4). Writes the use of the session. */
export const listMyLicenses = inner('listMyLicenses', CUSTOMER, CUSTOMER_CALLS.listMyLicenses, [
  'customer_not_signed_in',
]).write(async (tx, { fields, now: at, ruleContext }) => {
  const signedIn = await signedInBy(tx, fields.session, { now: at, ruleContext });
  if (isRefusal(signedIn)) return signedIn;
  const { session } = signedIn;
  const keys = await keysOf(tx, signedIn);
  // The cursor is the last license shown. One that is gone by now begins the list again.
  const from = keys.findIndex((licenseKey) => refOfLicense(licenseKey) === fields.cursor) + 1;
  const shown = keys.slice(from, from + PAGE_SIZE);
  const last = shown.at(-1);
  return {
    email: session.emailFolded,
    shop: session.creatorId,
    licenses: await listCards(tx, shown, at),
    nextCursor: last === undefined || from + PAGE_SIZE >= keys.length ? null : refOfLicense(last),
  };
});
