import { toTimestamp } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { listHeldOfflineFiles } from '../../licensing/license-files/store.ts';
import { changeLicense } from '../../licensing/licenses/change.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { loadUserToRelease, type UserToRelease, userReleaseOf } from '../../licensing/licenses/user-release.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { keyOfRef, refOfUser } from './cards.ts';
import { devicesOf } from './devices.ts';
import type { ReleaseBudget } from './release.ts';
import { insertRelease } from './release-store.ts';
import { signedInBy } from './session.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';
import { listSeats, userRelease } from './users.ts';

/**
 * Releases a user of a license for its owner, within the budget that devices have (rules 13.5). Decided under the
 * license's lock, so the budget is exact for requests at once, on every node.
 */
export const releaseMyUser = inner('releaseMyUser', CUSTOMER, CUSTOMER_CALLS.releaseMyUser, [
  'customer_not_signed_in',
  'license_gone',
  'user_gone',
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
  const load = async (license: License): Promise<Known> => {
    const seats = await listSeats(tx, license);
    const seat = seats.find(({ userFolded }) => refOfUser(licenseKey, userFolded) === fields.user);
    const { budget } = await devicesOf(tx, license, settings, now);
    if (seat === undefined) return { budget, user: undefined, hasFile: false };
    const user = await loadUserToRelease(tx, seat);
    const held = await listHeldOfflineFiles(tx, user.machines, toTimestamp(now));
    return { budget, user, hasFile: held.length > 0 };
  };
  let freed: { readonly name: string; readonly counts: boolean } | undefined;
  const changed = await changeLicense<Known, UserRefusal | 'user_not_found'>(
    tx,
    { ...origin, actor },
    { licenseKey, scope, load },
    (license, { budget, user, hasFile }) => {
      if (foldEmail(license.email) !== session.emailFolded) return refuse('license_gone');
      if (user?.seat === undefined || license.revocation !== null) return refuse('user_gone');
      const kind = userRelease(user.seat, hasFile, budget, now);
      if (kind === 'spent') return refuse('release_budget_spent', { extra: { nextAt: budget.nextAt } });
      if (kind !== 'free' && kind !== 'counts') return refuse(REFUSED[kind]);
      freed = { name: user.seat.user, counts: kind === 'counts' };
      return userReleaseOf(license, user);
    },
  );
  if (isRefusal(changed)) {
    if (changed.refused === 'license_not_found') return refuse('license_gone');
    return changed.refused === 'user_not_found' ? refuse('user_gone') : (changed as Refusal<UserRefusal>);
  }
  if (freed === undefined) throw new Error('a user was released who was not found');
  // The row is forgotten with the license; the name of the user is in none.
  if (freed.counts) await insertRelease(tx, { licenseKey, releasedAt: toTimestamp(now), fingerprint: fields.user });
  return { name: freed.name };
});

interface Known {
  readonly budget: ReleaseBudget;
  readonly user: UserToRelease | undefined;
  /** Whether a machine of the user has an offline file that has not expired. */
  readonly hasFile: boolean;
}

const REFUSED = { too_new: 'device_too_new', has_file: 'device_has_file', off: 'releases_off' } as const;

type UserRefusal = 'license_gone' | 'user_gone' | 'release_budget_spent' | (typeof REFUSED)[keyof typeof REFUSED];
