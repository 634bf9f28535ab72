import { HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { createFile } from '../../licensing/license-files/create.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { listMachines } from '../../licensing/machines/activation-store.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { countRates } from '../../platform/rates/rates.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { refOfLicense } from './cards.ts';
import { FILE_DAYS, REQUEST_REFUSALS, requestedFile } from './requested-file.ts';
import { LIMITS } from './settings.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

/**
 * Makes a file for a computer without a connection, as /createLicenseFile does, within a budget: in 365 days files for
 * as many devices as the license has slots (rules 13.6). It is decided under the license's lock.
 */
export const makeMyFile = inner('makeMyFile', CUSTOMER, CUSTOMER_CALLS.makeMyFile, [
  ...REQUEST_REFUSALS,
  'wrong_product',
  'license_replaced',
  'license_revoked',
  'license_expired',
  'user_required',
  'user_limit',
  'machine_limit',
]).write(async (tx, { fields, now: at, origin, ruleContext }) => {
  const requested = await requestedFile(tx, fields, { now: at, ruleContext });
  if (isRefusal(requested)) return requested;
  const { license, scope, request, signedIn } = requested;
  const { licenseKey } = license;
  const { productId, fingerprint, hostname } = request;
  const rate = { subject: `files of ${refOfLicense(licenseKey)}`, max: LIMITS.filesOfLicense, windowMs: HOUR_MS };
  const pause = await countRates(tx, [rate], signedIn.now);
  if (pause !== null)
    return refuse('file_budget_spent', { extra: { nextAt: toTimestamp(signedIn.now + pause * 1000) } });
  const created = await createFile(
    tx,
    { ...origin, actor: signedIn.actor },
    scope,
    {
      licenseKey,
      productId,
      machine: { fingerprint, hostname, ...(await ownerAsUser(tx, license, fingerprint)) },
      days: FILE_DAYS,
      includesEmail: false,
    },
    ruleContext,
  );
  if (isRefusal(created))
    return created.refused === 'license_not_found' ? refuse('license_gone') : (created as Refusal<CreateRefusal>);
  return { file: created.licenseFile, deviceName: hostname, expiresAt: created.expiresAt };
});

type CreateRefusal =
  | 'wrong_product'
  | 'license_replaced'
  | 'license_revoked'
  | 'license_expired'
  | 'user_required'
  | 'user_limit'
  | 'machine_limit';

/** The owner is the user of a machine that has none, where the license has named users. */
async function ownerAsUser(tx: Tx, { licenseKey, email, terms }: License, fingerprint: string) {
  if (terms.maxUsers === null) return {};
  const [bound] = await listMachines(tx, [{ licenseKey, fingerprint }]);
  return bound?.user == null ? { user: email } : {};
}
