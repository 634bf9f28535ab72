import { fromTimestamp, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { createFile } from '../../licensing/license-files/create.ts';
import { readFileRequest } from '../../licensing/license-files/file-request.ts';
import { listFilesOfCustomer } from '../../licensing/license-files/store.ts';
import { type License, slotLimit, storedLicenseKey, UNLIMITED_MACHINES } from '../../licensing/licenses/license.ts';
import { lockLicense } from '../../licensing/licenses/store.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { countRates } from '../../platform/rates/rates.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { keyOfRef, refOfLicense } from './cards.ts';
import { signedInBy } from './session.ts';
import { LIMITS, TIMES } from './settings.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

const FILE_DAYS = 365;
/** The most files of a license without a limit of slots. */
const MAX_FILES = 20;

/**
 * Makes a file for a computer without a connection, as /createLicenseFile does, within a budget: in 365 days files for
 * as many devices as the license has slots (rules 13.6). It is decided under the license's lock.
 */
export const makeMyFile = inner('makeMyFile', CUSTOMER, CUSTOMER_CALLS.makeMyFile, [
  'customer_not_signed_in',
  'license_gone',
  'customer_files_off',
  'file_request_not_accepted',
  'file_budget_spent',
  'wrong_product',
  'license_revoked',
  'license_expired',
  'machine_limit',
]).write(async (tx, { fields, now: at, origin, ruleContext }) => {
  const signedIn = await signedInBy(tx, fields.session, { now: at, ruleContext });
  if (isRefusal(signedIn)) return signedIn;
  const { session, actor, makesFiles, scope, now } = signedIn;
  if (!makesFiles) return refuse('customer_files_off');
  const licenseKey = await keyOfRef(tx, signedIn, fields.license);
  const license = licenseKey === undefined || scope === null ? undefined : await lockLicense(tx, licenseKey, scope);
  if (license === undefined || scope === null || foldEmail(license.email) !== session.emailFolded)
    return refuse('license_gone');
  const request = readFileRequest(fields.request);
  if (request === null || storedLicenseKey(request.licenseKey) !== license.licenseKey)
    return refuse('file_request_not_accepted');
  const spent = await budgetSpent(tx, license, request.fingerprint, now);
  if (spent !== null) return spent;
  const { productId, fingerprint, hostname } = request;
  const created = await createFile(
    tx,
    { ...origin, actor },
    scope,
    {
      licenseKey: license.licenseKey,
      productId,
      machine: { fingerprint, hostname },
      days: FILE_DAYS,
      includesEmail: false,
    },
    ruleContext,
  );
  if (isRefusal(created))
    return created.refused === 'license_not_found' ? refuse('license_gone') : (created as Refusal<CreateRefusal>);
  return { file: created.licenseFile, deviceName: hostname, expiresAt: created.expiresAt };
});

type CreateRefusal = 'wrong_product' | 'license_revoked' | 'license_expired' | 'machine_limit';

/** Refuses a file beyond the budget. Another file for a device that has one counts only for the limit in an hour. */
async function budgetSpent(
  tx: Tx,
  license: License,
  fingerprint: string,
  now: number,
): Promise<Refusal<'file_budget_spent'> | null> {
  const slots = slotLimit(license);
  const most = slots === UNLIMITED_MACHINES ? MAX_FILES : slots;
  const issued = await listFilesOfCustomer(tx, license.licenseKey, toTimestamp(now - TIMES.files), most);
  const isRepeat = issued.some((file) => file.fingerprint === fingerprint);
  const oldest = issued.at(-1);
  if (!isRepeat && oldest !== undefined && issued.length >= most) {
    const nextAt = toTimestamp(fromTimestamp(oldest.issuedAt) + TIMES.files);
    return refuse('file_budget_spent', { extra: { nextAt } });
  }
  const subject = `files of ${refOfLicense(license.licenseKey)}`;
  const pause = await countRates(tx, [{ subject, max: LIMITS.filesOfLicense, windowMs: HOUR_MS }], now);
  return pause === null ? null : refuse('file_budget_spent', { extra: { nextAt: toTimestamp(now + pause * 1000) } });
}
