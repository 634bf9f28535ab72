/** Operator keys: each belongs to one operator, with a name and a role (rules 5.4). */

import { fromTimestamp, HOUR_MS } from '../../ground/base/clock.ts';
import type { Role } from '../../platform/endpoint/role.ts';
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
  /** The end that it got at its creation; null for none. */
  readonly expiresAt: string | null;
  /** The last sign-in or call of its sessions, accurate to an hour; null before the first. */
  readonly lastUsedAt: string | null;
}

/** Prefix of every raw key, so that secret scanners recognise a leaked one. */
const PREFIX = 'lko_';

/** A new raw key, of the same form as an API key. */
export function mintOperatorKey(): string {
  return mintKey(PREFIX);
}

/**
 * Whether a key signs in: it is not revoked, and its end has not come.
 *
 * @param now the time by which sessions end (believed-time/), in milliseconds since 1970
 */
export function isInForce({ active, expiresAt }: OperatorKey, now: number): boolean {
  return active && (expiresAt === null || now < fromTimestamp(expiresAt));
}

/** Whether the last use of a key is due to be stored again, which happens once an hour at most. */
export function isKeyUseDue({ lastUsedAt }: OperatorKey, now: number): boolean {
  return lastUsedAt === null || now >= fromTimestamp(lastUsedAt) + HOUR_MS;
}

/** Whether a name has the form that events use for sign-ins with the admin secret. */
export function isNameOfAdmin(name: string): boolean {
  return /^\s*admin\s*(\(.*)?$/is.test(name);
}
