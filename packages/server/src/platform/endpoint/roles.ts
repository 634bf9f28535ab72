/** Decides which endpoints console sessions may call (rules 5.4). */
import type { Caller } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import { type Refusal, refuse } from './refusals.ts';
import { includesRole, type Role, type RoleLimit } from './role.ts';

/** The parts of an endpoint that decide which sessions it accepts. */
type ForSessions = Pick<Endpoint, 'access' | 'needs'>;

/**
 * True if an endpoint accepts console sessions: those of the operator and of creators do, and others if they name a
 * role.
 */
export function takesSessions({ access, needs }: ForSessions): boolean {
  return access === 'admin' || access === 'superAdmin' || access === 'console' || needs !== undefined;
}

/** The lowest role that an endpoint requires of the operator's people; `owner` by default. */
export function neededRole({ needs = 'owner' }: ForSessions): Role {
  return needs;
}

/** True for one of the operator's people who may only look. */
export function isViewer(caller: Caller): boolean {
  return caller.kind === 'admin' && caller.session?.role === 'viewer';
}

/** True if a session may call an endpoint. `role` is null for a creator, whose access equals that of an API key. */
export function sessionMayCall(role: Role | null, endpoint: ForSessions): boolean {
  if (!takesSessions(endpoint)) return false;
  return role === null ? endpoint.access !== 'superAdmin' : includesRole(role, neededRole(endpoint));
}

/** The limit of a role at an endpoint that it may call; undefined if it may use the endpoint in full. */
export function limitOfRole(role: Role | null, { limits }: Pick<Endpoint, 'limits'>): RoleLimit | undefined {
  return role === null ? undefined : limits?.[role];
}

/** The refusal if a caller's role is too low for an endpoint; null if it suffices, or if the caller has no role. */
export function refusalOfRole(caller: Caller, endpoint: ForSessions): Refusal<'role_not_allowed'> | null {
  if (caller.kind !== 'admin' || caller.session === undefined) return null;
  return sessionMayCall(caller.session.role, endpoint) ? null : refuse('role_not_allowed');
}
