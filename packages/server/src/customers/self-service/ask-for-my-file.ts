import { DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import { predictRefusal } from '../../licensing/client-endpoints/predicted-refusal.ts';
import { findLicenseSnapshot } from '../../licensing/client-endpoints/snapshot-store.ts';
import { periodOf } from '../../licensing/license-files/license-file.ts';
import { coversProduct, refusalForStatus } from '../../licensing/licenses/license.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { FILE_DAYS, REQUEST_REFUSALS, requestedFile } from './requested-file.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

/**
 * The effects of a file that makeMyFile would make now, or its refusal (rules 13.6). A customer confirms them, because
 * nobody can call a file back. Writes the use of the session.
 */
export const askForMyFile = inner('askForMyFile', CUSTOMER, CUSTOMER_CALLS.askForMyFile, [
  ...REQUEST_REFUSALS,
  'wrong_product',
  'license_replaced',
  'license_revoked',
  'license_expired',
  'machine_limit',
]).write(async (tx, { fields, now, ruleContext }) => {
  const requested = await requestedFile(tx, fields, { now, ruleContext });
  if (isRefusal(requested)) return requested;
  const { license, scope, request, budget } = requested;
  const { fingerprint, hostname, productId } = request;
  if (!coversProduct(license, productId)) return refuse('wrong_product');
  const refusal = refusalForStatus(license, now);
  if (refusal !== null) return refusal;
  const snapshot = await findLicenseSnapshot(tx, license.licenseKey, scope, fingerprint, now);
  if (snapshot === undefined) return refuse('license_gone');
  // Attempts of apps do not count here, so only the answer about slots matters.
  const predicted = predictRefusal('/activate', snapshot, { machineFingerprint: fingerprint, hostname, productId });
  if (predicted?.refused === 'machine_limit') return refuse('machine_limit');
  const { expiresAt } = periodOf(license, FILE_DAYS * DAY_MS, ruleContext.settings.licenseFiles, now);
  return {
    deviceName: hostname,
    expiresAt: expiresAt === null ? null : toTimestamp(expiresAt * 1000),
    takesPlace: snapshot.machine === undefined,
    counts: !budget.isRepeat,
    of: budget.of,
    left: budget.left,
  };
});
