/**
 * The writes of users that follow from changes of a license and its machines (rules 14.9). A user gets a seat with the
 * first machine. It is kept without a machine until it is released, unless the seats of the license float.
 */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { RecordedTx } from '../../storage/contract/recorded.ts';
import type { Activation } from '../machines/activation.ts';
import type { LicenseUser, UserOfLicense } from '../machines/user.ts';
import { forgetUserAttempts } from '../machines/user-attempts.ts';
import {
  deleteAllUsers,
  deleteAllUsersWithoutMachine,
  deleteUsers,
  deleteUsersWithoutMachine,
  insertUsers,
  noteAllLastSeen,
  noteLastSeen,
  seatUsersOfMachines,
} from '../machines/user-store.ts';
import type { LicenseSave } from './license-save.ts';

type MachineWithUser = Activation & { readonly user: string; readonly userFolded: string };

/** The writes that come before those of machines. */
export function* userWritesBefore(tx: RecordedTx, saves: readonly LicenseSave[]): Generator<Promise<void>> {
  for (const { license, machines } of saves)
    if (machines === 'unbind all' && license.terms.maxUsers !== null) yield noteAllLastSeen(tx, license.licenseKey);
}

/**
 * The writes that come after those of machines. Licenses without named users cause none.
 *
 * @param now in milliseconds
 */
export function* userWrites(tx: RecordedTx, saves: readonly LicenseSave[], now: number): Generator<Promise<void>> {
  const seated: MachineWithUser[] = [];
  const left: MachineWithUser[] = [];
  const leftFloating: MachineWithUser[] = [];
  const released: UserOfLicense[] = [];
  const given: LicenseUser[] = [];
  for (const { license, machines, releasedUsers = [], seatedUsers = [] } of saves) {
    released.push(...releasedUsers);
    given.push(...seatedUsers);
    if (license.terms.maxUsers === null || typeof machines !== 'object') continue;
    const { inserted, deleted, lost = deleted } = machines;
    seated.push(...inserted.filter(hasUser));
    const ofUsers = lost.filter(hasUser);
    left.push(...ofUsers);
    if (license.terms.usersFloat === true) leftFloating.push(...ofUsers);
  }
  if (seated.length + given.length > 0) yield insertUsers(tx, eachOnce([...given, ...seatsOf(seated, now)]));
  if (left.length > 0) yield noteLastSeen(tx, latestOfEach(left));
  if (leftFloating.length > 0) yield deleteUsersWithoutMachine(tx, leftFloating);
  if (released.length > 0) yield deleteUsers(tx, released);
  for (const save of saves) yield* writesOfTerms(tx, save);
}

/**
 * A license that gets named users seats those of its machines; one that has them no longer frees all seats and forgets
 * the attempts of its users.
 */
function* writesOfTerms(tx: RecordedTx, save: LicenseSave): Generator<Promise<void>> {
  const { licenseKey, terms } = save.license;
  const before = save.kind === 'changed' ? save.before.terms : terms;
  const floatsAnew = terms.usersFloat === true && before.usersFloat !== true;
  if (terms.maxUsers === null) {
    if (before.maxUsers === null) return;
    yield deleteAllUsers(tx, licenseKey);
    yield forgetUserAttempts(tx, licenseKey);
  } else if (before.maxUsers === null) yield seatUsersOfMachines(tx, licenseKey);
  else if (floatsAnew || (save.machines === 'unbind all' && terms.usersFloat === true))
    yield deleteAllUsersWithoutMachine(tx, licenseKey);
}

function hasUser(machine: Activation): machine is MachineWithUser {
  return machine.userFolded !== null;
}

/** The seats of the users of new machines; an imported machine was bound earlier. */
function seatsOf(machines: readonly MachineWithUser[], now: number) {
  const at = toTimestamp(now);
  return machines.map(({ licenseKey, userFolded, user, firstSeen }) => {
    const since = firstSeen < at ? firstSeen : at;
    return { licenseKey, userFolded, user, since, lastSeen: since };
  });
}

/** The machines that users lost, for each the one that was seen last: a statement writes a row once. */
function latestOfEach(machines: readonly MachineWithUser[]): readonly MachineWithUser[] {
  return eachOnce(machines.toSorted((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1)));
}

/** The first of each user. */
function eachOnce<Of extends UserOfLicense>(all: readonly Of[]): readonly Of[] {
  const byUser = Map.groupBy(all, ({ licenseKey, userFolded }) => JSON.stringify([licenseKey, userFolded]));
  return [...byUser.values()].map(([first]) => first!);
}
