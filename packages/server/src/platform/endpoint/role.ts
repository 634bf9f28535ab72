/** The roles of the operator's people, from most to least privileged. */
export const ROLES = ['owner', 'support', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The part of an endpoint that is open to a role which may not use it in full (rules 5.6). */
export interface RoleLimit {
  /** The fields that the role may send. */
  readonly fields: readonly string[];
  /** The number of days by which the role may extend a license, within as many days. */
  readonly extensionDays: number;
}

/** True if a role includes another one. */
export function includesRole(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(other);
}
