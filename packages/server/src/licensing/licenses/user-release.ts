/** Releases a user of a license from outside: unbinds the machines of the user and frees the seat (rules 14.9). */
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { Activation } from '../machines/activation.ts';
import { listMachinesOfUser } from '../machines/activation-store.ts';
import { foldUser, type UserOfLicense } from '../machines/user.ts';
import { findUser, type ListedUser } from '../machines/user-store.ts';
import type { LicenseDecision } from './change.ts';
import type { License } from './license.ts';

/** A user as stored. */
export interface UserToRelease {
  /** Undefined without a seat: the license has no named users, or nobody of this name is among them. */
  readonly seat: ListedUser | undefined;
  readonly machines: readonly Activation[];
}

/** Reads a user; exact if the license is locked. */
export async function loadUserToRelease(sql: Sql, user: UserOfLicense): Promise<UserToRelease> {
  const [seat, machines] = await Promise.all([findUser(sql, user), listMachinesOfUser(sql, user)]);
  return { seat, machines };
}

/** The decision to release a user. Pure. The seats and slots are free at once, and the tokens become invalid. */
export function userReleaseOf(
  license: License,
  { seat, machines }: UserToRelease,
): LicenseDecision | Refusal<'user_not_found'> {
  const user = seat?.user ?? machines[0]?.user ?? null;
  if (user === null) return refuse('user_not_found');
  // Lapsed sessions that have not been released are counted, too.
  const sessions = machines.filter(({ sessionDeadline }) => sessionDeadline !== null).length;
  return {
    type: 'user.released',
    ...(machines.length === 0
      ? {}
      : {
          update: {
            machinesUsed: license.machinesUsed - machines.length,
            sessionsHeld: license.sessionsHeld - sessions,
          },
          machines: { inserted: [], touched: [], updated: [], deleted: machines },
        }),
    ...(seat === undefined ? {} : { releasedUsers: [seat] }),
    // Forgetting finds the event by its subject, when the user holds no seat any more.
    entry: { subject: foldUser(user), before: { user, machines: machines.length }, after: null },
  };
}
