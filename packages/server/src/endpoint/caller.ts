/** Who is asking, and what of the stored things they may see (rules 5.1, 5.2). */
import { hash } from 'node:crypto';
import { type Actor, actorText } from '../events/event.ts';
import type { Refusal } from '../refusals.ts';
import type { Sql } from '../storage/storage.ts';

/**
 * Who an endpoint answers.
 * - `client`: anyone; the license key (and the session token) is the credential, and no other is looked at. The five client
 *   endpoints, and what else apps call
 * - `anyone`: no credential is needed; one that is shown is looked at, and a wrong one counts as none
 * - `admin`: adminSecret, or an API key within its creator's products
 * - `superAdmin`: adminSecret only
 * - `webhook`: the webhook secret
 * - `webhookOrKey`: the webhook secret, or an API key within its creator's orders
 */
export type Access = 'client' | 'anyone' | 'admin' | 'superAdmin' | 'webhook' | 'webhookOrKey';

/**
 * What a request showed of itself, before storage is asked: `none` also when something it showed is wrong. An API key is
 * known by its hash only and still to be looked up; `beside` is the right secret that was shown with it.
 */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'admin' }
  | { readonly kind: 'webhook' }
  | { readonly kind: 'apiKey'; readonly hash: string; readonly beside: 'none' | 'admin' | 'webhook' };

/** Who is asking, known for certain. */
export type Caller =
  /** Somebody who needs no credential; `showedUnknownKey` when an API key was shown that is none. */
  | { readonly kind: 'client'; readonly showedUnknownKey?: true }
  | { readonly kind: 'admin' }
  | { readonly kind: 'webhook' }
  | { readonly kind: 'creator'; readonly creatorId: string; readonly keyName: string };

/**
 * What a caller may see: everything (`creatorId` null) or what belongs to one creator. Every read of an admin endpoint
 * takes a Scope, and rows out of scope are never selected, so that they cannot be told from absent ones.
 */
export interface Scope {
  readonly creatorId: string | null;
}

/** Whether an endpoint refuses callers without a credential. */
export function needsCredential(access: Access): boolean {
  return access !== 'client' && access !== 'anyone';
}

/** The scope of a caller. */
export function scopeOf(caller: Caller): Scope {
  return { creatorId: caller.kind === 'creator' ? caller.creatorId : null };
}

/** A caller as events name who caused a change. */
export function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'creator':
      return { kind: 'creator', creatorId: caller.creatorId, keyName: caller.keyName };
    case 'admin':
      return { kind: 'operator' };
    case 'webhook':
      return { kind: 'storefront' };
    case 'client':
      return { kind: 'client' };
  }
}

/** A caller as the log names it. */
export interface CallerNames {
  /** `operator`, `storefront`, or `creator:` and the creator's id. */
  readonly actor: string;
  /** The name of a creator's API key. */
  readonly keyName?: string;
}

/** The names of a caller; undefined for those who need no credential. */
export function callerNames(caller: Caller): CallerNames | undefined {
  if (caller.kind === 'client') return undefined;
  const actor = actorText(actorOf(caller));
  return caller.kind === 'creator' ? { actor, keyName: caller.keyName } : { actor };
}

/** The same for a credential that shows by itself who asks. */
export function namesOfSecret(credential: Credential): CallerNames | undefined {
  return credential.kind === 'admin' || credential.kind === 'webhook'
    ? callerNames({ kind: credential.kind })
    : undefined;
}

/** Turns a credential into a caller, or refuses with 401. */
export type Identify = (sql: Sql, credential: Credential, access: Access) => Promise<Caller | Refusal>;

/**
 * The form under which a raw API key is stored and listed. A key is 256 random bits, so nobody can guess it or search
 * through candidates: a slow password hash would only make every request slow.
 */
export function hashApiKey(rawKey: string): string {
  return hash('sha256', rawKey, 'hex');
}
