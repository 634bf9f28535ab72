import { toTimestamp } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { changeLicense, type LicenseDecision } from '../../licensing/licenses/change.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { releaseOf } from '../../licensing/licenses/machine-release.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { keyOfRef, refOfDevice } from './cards.ts';
import { type DevicesOfLicense, devicesOf } from './devices.ts';
import { releaseKind } from './release.ts';
import { insertRelease } from './release-store.ts';
import { signedInBy } from './session.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

/**
 * Frees a device within the budget of its license (rules 13.5). Everything is decided under the license's lock, so the
 * budget is exact for requests at once, on every node.
 */
export const releaseMyDevice = inner('releaseMyDevice', CUSTOMER, CUSTOMER_CALLS.releaseMyDevice, [
  'customer_not_signed_in',
  'license_gone',
  'device_gone',
  'device_too_new',
  'device_has_file',
  'release_budget_spent',
  'releases_off',
]).write(async (tx, { fields, now: at, origin, ruleContext }) => {
  const signedIn = await signedInBy(tx, fields.session, { now: at, ruleContext });
  if (isRefusal(signedIn)) return signedIn;
  const { session, settings, actor, scope, now } = signedIn;
  const licenseKey = await keyOfRef(tx, signedIn, fields.license);
  if (licenseKey === undefined || scope === null) return refuse('license_gone');
  const load = async (license: License) => {
    const devices = await devicesOf(tx, license, settings, now);
    const machine = devices.machines.find(({ fingerprint }) => refOfDevice(licenseKey, fingerprint) === fields.device);
    return { devices, machine };
  };
  let freed: { readonly machine: Activation; readonly counts: boolean } | undefined;
  const changed = await changeLicense<Known, ReleaseRefusal | 'machine_not_found'>(
    tx,
    { ...origin, actor },
    { licenseKey, scope, load },
    (license, { devices, machine }) => {
      if (foldEmail(license.email) !== session.emailFolded) return refuse('license_gone');
      if (machine === undefined || license.revocation !== null) return refuse('device_gone');
      const kind = releaseKind(machine, devices.files.has(machine.fingerprint), devices.budget, now);
      if (kind === 'spent') return refuse('release_budget_spent', { extra: { nextAt: devices.budget.nextAt } });
      if (kind !== 'free' && kind !== 'counts') return refuse(REFUSED[kind]);
      freed = { machine, counts: kind === 'counts' };
      return releaseOf(license, machine) as LicenseDecision | Refusal<'machine_not_found'>;
    },
  );
  if (isRefusal(changed)) {
    if (changed.refused === 'license_not_found') return refuse('license_gone');
    return changed.refused === 'machine_not_found' ? refuse('device_gone') : (changed as Refusal<ReleaseRefusal>);
  }
  if (freed === undefined) throw new Error('a device was freed that was not found');
  const { fingerprint, hostname } = freed.machine;
  if (freed.counts) await insertRelease(tx, { licenseKey, releasedAt: toTimestamp(now), fingerprint });
  return { name: hostname };
});

interface Known {
  readonly devices: DevicesOfLicense;
  readonly machine: Activation | undefined;
}

const REFUSED = { too_new: 'device_too_new', has_file: 'device_has_file', off: 'releases_off' } as const;

type ReleaseRefusal = 'license_gone' | 'device_gone' | 'release_budget_spent' | (typeof REFUSED)[keyof typeof REFUSED];
