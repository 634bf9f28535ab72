/** Lifts the activation limit: forgets the attempts of the last hour, so that the full number is available at once. */
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { LicenseDecision } from './change.ts';
import { lockLicenses } from './license-set-store.ts';
import { saveLicenses } from './save.ts';

/** Forgets the attempts of a license. */
export function liftedActivationLimitOf(): LicenseDecision {
  return { type: 'license.activation_limit_lifted', update: { attempts: [] } };
}

/** Lifts the limit of many licenses at once. */
export async function liftActivationLimits(tx: Tx, origin: Origin, licenseKeys: readonly string[]): Promise<void> {
  const licenses = await lockLicenses(tx, licenseKeys);
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
