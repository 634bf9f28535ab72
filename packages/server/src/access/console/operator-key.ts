/** Operator keys: each belongs to one operator, with a name and a role (rules 5.4). */

import type { Role } from '../../platform/endpoint/roles.ts';
import { mintKey } from '../api-keys/api-key.ts';

/** A stored operator key; the raw key is never stored. */
export interface OperatorKey {
  /** See hashApiKey in platform/endpoint/caller.ts. */
  readonly hash: string;
  /** The name of its user in events. */
  readonly name: string;
  readonly role: Role;
  readonly active: boolean;
  readonly createdAt: string;
  /** Null while it is active, and for keys revoked by a version that did not store the time. */
  readonly revokedAt: string | null;
}

/** Prefix of every raw key, so that secret scanners recognise a leaked one. */
const PREFIX = 'lko_';

/** A new raw key, of the same form as an API key. */
export function mintOperatorKey(): string {
  return mintKey(PREFIX);
}

/** Whether a name has the form that events use for sign-ins with the admin secret. */
export function isNameOfAdmin(name: string): boolean {
  return /^\s*admin\s*(\(.*)?$/is.test(name);
}
