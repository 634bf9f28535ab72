/** Operator keys: each is for one of the operator's people, with a name and a role (rules 5.4). */
import { mintKey } from '../api-keys/api-key.ts';
import type { Role } from '../endpoint/roles.ts';

/** An operator key as it is stored and listed; the raw key is not kept anywhere. */
export interface OperatorKey {
  /** See hashApiKey in endpoint/caller.ts. */
  readonly hash: string;
  /** What events call whoever uses it. */
  readonly name: string;
  readonly role: Role;
  readonly active: boolean;
  readonly createdAt: string;
  /** Null while it is active, and for keys that a version revoked which did not keep the moment. */
  readonly revokedAt: string | null;
}

/** What every raw key begins with, so that secret scanners recognise one that leaked. */
const PREFIX = 'lko_';

/** A new raw key, of the same form as an API key. */
export function mintOperatorKey(): string {
  return mintKey(PREFIX);
}

/** Whether a name is one that events give to those who sign in by the admin secret. */
export function isNameOfAdmin(name: string): boolean {
  return /^\s*admin\s*(\(.*)?$/is.test(name);
}
