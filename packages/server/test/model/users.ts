/** Named users as rules 14.9 describe them, in the memory of the model: seats, their attempts, and who may have one. */
import type { License, Machine } from './license.ts';
import type { Seat, Users } from './seats.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ATTEMPTS_PER_HOUR = 15;

/** The users of a new license. */
export function nobody(): Users {
  return { seats: {}, attempts: {}, commonAttempts: [] };
}

/** Names are compared in any case. */
export function folded(name: string): string {
  return name.toLowerCase();
}

function isOf(user: string): (machine: Machine) => boolean {
  return (machine) => machine.user !== null && folded(machine.user) === user;
}

function machinesOf(license: License, user: string): readonly Machine[] {
  return Object.values(license.machines).filter(isOf(user));
}

/** The user of a call: the named one, or that of the bound machine. */
function callerOf(license: License, fingerprint: string, named: string | undefined): string | null {
  const name = named ?? license.machines[fingerprint]?.user ?? null;
  return name === null ? null : folded(name);
}

/** Whether the user has a seat or gets one with this machine: a free one, or that of the user who loses it. */
function mayHaveSeat(license: License, user: string, fingerprint: string): boolean {
  const { maxUsers, usersFloat } = license.terms;
  const others = Object.entries(license.machines).filter(([each]) => each !== fingerprint);
  const keepsSeat = (each: string) => usersFloat !== true || others.some(([, machine]) => isOf(each)(machine));
  const held = Object.keys(license.users.seats).filter((each) => each !== user && keepsSeat(each));
  return user in license.users.seats || held.length < maxUsers!;
}

/** Counts an attempt to activate. @returns whether it may proceed */
export function countAttempt(license: License, fingerprint: string, named: string | undefined, now: number): boolean {
  const { maxUsers } = license.terms;
  if (maxUsers === null) return countIn(license.attempts, now);
  const user = callerOf(license, fingerprint, named);
  // The refusal of somebody without a seat writes nothing.
  if (user === null || !mayHaveSeat(license, user, fingerprint)) return true;
  const { attempts, commonAttempts } = license.users;
  attempts[user] ??= [];
  if (!countIn(attempts[user], now)) return false;
  // They count until the end of their minute is an hour old.
  const endOfMinute = (at: number) => at - (at % MINUTE_MS) + MINUTE_MS - 1;
  const inHour = commonAttempts.filter((at) => endOfMinute(at) > now - HOUR_MS);
  if (inHour.length >= ATTEMPTS_PER_HOUR * maxUsers) return false;
  commonAttempts.push(now);
  return true;
}

/** Refused attempts count, too. */
function countIn(attempts: number[], now: number): boolean {
  const inHour = attempts.filter((at) => at > now - HOUR_MS).length;
  attempts.push(now);
  return inHour < ATTEMPTS_PER_HOUR;
}

/** The refusal of a call whose user gets no seat, or has too many machines; null without one. */
export function refusalForUser(license: License, fingerprint: string, named: string | undefined) {
  const { maxUsers, maxMachinesPerUser } = license.terms;
  if (maxUsers === null) return null;
  const user = callerOf(license, fingerprint, named);
  if (user === null) return { code: 'user_required' } as const;
  if (!mayHaveSeat(license, user, fingerprint)) return { code: 'user_limit', limit: maxUsers } as const;
  const others = machinesOf(license, user).filter((each) => each !== license.machines[fingerprint]);
  const isOwn = others.length < machinesOf(license, user).length;
  if (isOwn || maxMachinesPerUser === null || others.length < maxMachinesPerUser) return null;
  return { code: 'machine_limit', limit: maxMachinesPerUser } as const;
}

/** A machine gets the user whom a call names; one that has this user keeps the form of the name. */
export function assignUser(license: License, machine: Machine, named: string | undefined, now: number): void {
  if (named !== undefined && (machine.user === null || folded(machine.user) !== folded(named))) machine.user = named;
  if (license.terms.maxUsers === null || machine.user === null) return;
  license.users.seats[folded(machine.user)] ??= { name: machine.user, since: now, seen: now };
}

/** A sign of life of a machine is one of its user. */
export function noteUser({ users }: License, { user }: Machine, now: number): void {
  const seat = user === null ? undefined : users.seats[folded(user)];
  if (seat !== undefined) seat.seen = now;
}

/** A license that gets named users seats those of its machines, each by the name of the machine that was seen first. */
export function seatUsersOfMachines(license: License): void {
  const inOrder = Object.entries(license.machines).sort(
    ([one, { firstSeen }], [other, { firstSeen: otherSeen }]) => firstSeen - otherSeen || (one < other ? -1 : 1),
  );
  for (const [, { user, firstSeen, lastSeen }] of inOrder) {
    if (user === null) continue;
    license.users.seats[folded(user)] ??= { name: user, since: firstSeen, seen: lastSeen };
    noteLater(license.users.seats[folded(user)]!, lastSeen);
  }
}

function noteLater(seat: Seat, seen: number): void {
  seat.seen = Math.max(seat.seen, seen);
}

/** Seats end with the named users of the license, and those that float with the last machine. */
export function freeSeats(license: License): void {
  const { maxUsers, usersFloat } = license.terms;
  for (const user of Object.keys(license.users.seats))
    if (maxUsers === null || (usersFloat === true && machinesOf(license, user).length === 0))
      delete license.users.seats[user];
}

/** Frees the seat of a user and unbinds the machines. @returns their number; null if there is no such user */
export function releaseUser(license: License, name: string): number | null {
  const user = folded(name);
  const machines = Object.entries(license.machines).filter(([, machine]) => isOf(user)(machine));
  if (machines.length === 0 && !(user in license.users.seats)) return null;
  for (const [fingerprint] of machines) delete license.machines[fingerprint];
  delete license.users.seats[user];
  return machines.length;
}

/** A pseudonym takes the place of a forgotten name; the seat stays. @returns whether there is such a user */
export function forgetUser(license: License, name: string, pseudonym: string): boolean {
  const user = folded(name);
  const machines = machinesOf(license, user);
  const { [user]: seat, ...others } = license.users.seats;
  for (const machine of machines) machine.user = pseudonym;
  if (seat !== undefined) license.users.seats = { ...others, [pseudonym]: { ...seat, name: pseudonym } };
  return machines.length > 0 || seat !== undefined;
}

/** The reply of /listUsers, without its cursor. */
export function listedUsers(license: License) {
  return Object.entries(license.users.seats)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([user, { name, since, seen }]) => ({
      user: name,
      machines: machinesOf(license, user).length,
      since: new Date(since).toISOString(),
      lastSeen: new Date(seen).toISOString(),
    }));
}
