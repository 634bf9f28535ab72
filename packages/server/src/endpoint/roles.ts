/** What console sessions may call (rules 5.4). */
import { type Refusal, refuse } from '../refusals.ts';
import type { Caller } from './caller.ts';
import type { Endpoint } from './endpoint.ts';

/** What a person of the operator's may do, from the most to the least. */
export const ROLES = ['owner', 'support', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The parts of an endpoint that say which sessions it takes. */
type ForSessions = Pick<Endpoint, 'access' | 'needs'>;

/**
 * Whether an endpoint takes console sessions: those of the operator and of creators do, and of the others the ones that
 * name a role.
 */
export function takesSessions({ access, needs }: ForSessions): boolean {
  if (access === 'client' || access === 'anyone' || access === 'signIn') return false;
  return access === 'admin' || access === 'superAdmin' || access === 'console' || needs !== undefined;
}

/** The least role that an endpoint asks of a person of the operator's; where its file names none, the owner's. */
export function neededRole({ needs = 'owner' }: ForSessions): Role {
  return needs;
}

/** Whether a role includes another one. */
export function includesRole(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(other);
}

/** Whether a session may call an endpoint. `role` is null for a creator, whose reach is that of an API key. */
export function sessionMayCall(role: Role | null, endpoint: ForSessions): boolean {
  if (!takesSessions(endpoint)) return false;
  return role === null ? endpoint.access !== 'superAdmin' : includesRole(role, neededRole(endpoint));
}

/** Why a caller's role does not reach an endpoint; null when it does, or when the caller has none. */
export function refusalOfRole(caller: Caller, endpoint: ForSessions): Refusal<'role_not_allowed'> | null {
  if (caller.kind !== 'admin' || caller.session === undefined) return null;
  return sessionMayCall(caller.session.role, endpoint) ? null : refuse('role_not_allowed');
}
