/** The users of a license as its owner sees them, and the effect of releasing one (rules 13.5). */
import type { License } from '../../licensing/licenses/license.ts';
import { type ListedUser, listUsersOf } from '../../licensing/machines/user-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { refOfUser } from './cards.ts';
import type { DevicesOfLicense } from './devices.ts';
import { type ReleaseBudget, releaseKind } from './release.ts';
import type { ReleaseKind, SeatHolder } from './shapes.ts';

/** The most users that a page shows. */
const MAX_USERS = 200;

/** The users who hold seats; none of a license without named users. */
export async function listSeats(
  sql: Sql,
  { licenseKey, terms }: Pick<License, 'licenseKey' | 'terms'>,
): Promise<readonly ListedUser[]> {
  return terms.maxUsers === null ? [] : listUsersOf(sql, licenseKey, '', MAX_USERS);
}

/** The effect of releasing a user: as of a device that was bound when the user got the seat. */
export function userRelease(
  { since, lastSeen }: Pick<ListedUser, 'since' | 'lastSeen'>,
  hasFile: boolean,
  budget: ReleaseBudget,
  now: number,
): ReleaseKind {
  return releaseKind({ firstSeen: since, lastSeen }, hasFile, budget, now);
}

/** A user of a license for its page. */
export function seatView(
  seat: ListedUser,
  { machines: shown, files, budget }: DevicesOfLicense,
  now: number,
): SeatHolder {
  const { licenseKey, userFolded, user, machines, lastSeen } = seat;
  const hasFile = shown.some((machine) => machine.userFolded === userFolded && files.has(machine.fingerprint));
  return {
    ref: refOfUser(licenseKey, userFolded),
    name: user,
    machines,
    lastSeenAt: lastSeen,
    release: userRelease(seat, hasFile, budget, now),
  };
}
