/** The rules of named users at /activate (rules 14.9). */
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Activation } from '../machines/activation.ts';
import { foldUser, userOf } from '../machines/user.ts';
import type { LicenseChanges } from './license-changes.ts';

/** The part of a call that concerns its user. */
interface UserCall {
  readonly machineFingerprint: string;
  readonly user?: string | undefined;
}

/** The user of a call in the form for comparison: the named one, or that of the bound machine; null without one. */
function userOfCall(changes: LicenseChanges, { machineFingerprint, user }: UserCall): string | null {
  return user === undefined ? (changes.machine(machineFingerprint)?.userFolded ?? null) : foldUser(user);
}

/**
 * Counts an attempt to activate, for the license or for its user.
 *
 * @returns null if the attempt may proceed, else the whole seconds until the next one may
 */
export function countAttempt(changes: LicenseChanges, given: UserCall, now: number): number | null {
  const { terms } = changes.license;
  if (terms.maxUsers === null) return changes.attempt(now).retryAfterSeconds;
  const user = userOfCall(changes, given);
  const own = changes.machine(given.machineFingerprint)?.userFolded ?? null;
  return user === null || changes.users === null ? null : changes.users.attempt(user, own, terms, now);
}

/** The refusal of a call on a license with named users whose user has no seat, or too many machines. */
export function refusalForUser(
  changes: LicenseChanges,
  given: UserCall,
): Refusal<'user_required' | 'user_limit' | 'machine_limit'> | null {
  const { maxUsers, maxMachinesPerUser, usersFloat } = changes.license.terms;
  if (maxUsers === null) return null;
  const user = userOfCall(changes, given);
  const { users } = changes;
  if (user === null || users === null) return refuse('user_required');
  const own = changes.machine(given.machineFingerprint)?.userFolded ?? null;
  if (!users.hasSeatFor(user, maxUsers, { leaving: own, float: usersFloat }))
    return refuse('user_limit', { details: { limit: maxUsers } });
  if (own === user || maxMachinesPerUser === null || users.machinesOf(user) < maxMachinesPerUser) return null;
  // A machine of the user gives up its slot on no account by itself, whatever the type of the license.
  const extra = { licenseType: changes.license.licenseType, until: null };
  return refuse('machine_limit', { details: { limit: maxMachinesPerUser }, extra });
}

/** Whether a refusal of `admitActivationAttempt` is that of a user with too many machines. */
export function isLimitOfUser({ refused, extra }: Pick<Refusal, 'refused' | 'extra'>): boolean {
  return refused === 'machine_limit' && extra !== undefined;
}

/** The fields of a machine that name its user, after a call: the first form of a name stays. */
export function userAfter(machine: Activation, { user }: UserCall): Pick<Activation, 'user' | 'userFolded'> {
  const named = userOf(user);
  return named.userFolded === null || named.userFolded === machine.userFolded
    ? { user: machine.user, userFolded: machine.userFolded }
    : named;
}
