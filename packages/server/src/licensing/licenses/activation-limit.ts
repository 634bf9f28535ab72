/** Lifts the activation limit: forgets the attempts of the last hour, so that the full number is available at once. */
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { countUserAttempts, forgetUserAttempts } from '../machines/user-attempts.ts';
import type { LicenseDecision } from './change.ts';
import type { License } from './license.ts';
import { lockLicenses } from './license-set-store.ts';
import { saveLicenses } from './save.ts';

/** Loads the attempts of the users of a locked license with named users, and forgets them. */
export async function forgetAttemptsOfUsers(
  tx: Tx,
  { licenseKey, terms }: Pick<License, 'licenseKey' | 'terms'>,
  now: number,
): Promise<number> {
  if (terms.maxUsers === null) return 0;
  const attempts = await countUserAttempts(tx, licenseKey, now);
  await forgetUserAttempts(tx, licenseKey);
  return attempts;
}

/** Forgets the attempts of a license, and says how many its users made. */
export function liftedActivationLimitOf(license: License, ofUsers: number): LicenseDecision {
  const attempts = license.attempts.length + ofUsers;
  return {
    type: 'license.activation_limit_lifted',
    update: { attempts: [] },
    ...(ofUsers === 0 ? {} : { entry: { subject: null, before: { attempts }, after: { attempts: 0 } } }),
  };
}

/** Lifts the limit of many licenses at once. */
export async function liftActivationLimits(tx: Tx, origin: Origin, licenseKeys: readonly string[]): Promise<void> {
  const licenses = await lockLicenses(tx, licenseKeys);
  for (const license of licenses) await forgetAttemptsOfUsers(tx, license, origin.now);
  await saveLicenses(
    tx,
    licenses
      .filter(({ attempts }) => attempts.length > 0)
      .map((license) => ({
        kind: 'used',
        before: license,
        license: { ...license, attempts: [] },
        isVisible: false,
        entries: [
          {
            type: 'license.activation_limit_lifted',
            subject: null,
            before: { attempts: license.attempts.length },
            after: { attempts: 0 },
            origin,
          },
        ],
      })),
    origin.now,
  );
}
