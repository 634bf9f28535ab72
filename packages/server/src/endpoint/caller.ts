/** Who is asking, and what of the stored things they may see (rules 5.1, 5.2). */
import { hash } from 'node:crypto';
import { type Actor, actorName, actorText } from '../events/event.ts';
import type { Refusal } from '../refusals.ts';
import type { Settings } from '../rule-context.ts';
import type { Sql, Tx } from '../storage/storage.ts';
import type { Role } from './roles.ts';

/**
 * Who an endpoint answers.
 * - `client`: anyone; the license key (and the session token) is the credential, and no other is looked at. The five client
 *   endpoints, and what else apps call
 * - `anyone`: no credential is needed; one that is shown is looked at, and a wrong one counts as none
 * - `admin`: adminSecret, or an API key within its creator's products
 * - `superAdmin`: adminSecret only
 * - `webhook`: the webhook secret
 * - `webhookOrKey`: the webhook secret, or an API key within its creator's orders
 * - `console`: a console session and nothing else
 * - `signIn`: a secret or a code that is exchanged for a console session; it is a field of the body
 *
 * Which of them take console sessions besides is in roles.ts.
 */
export type Access = 'client' | 'anyone' | 'admin' | 'superAdmin' | 'webhook' | 'webhookOrKey' | 'console' | 'signIn';

/**
 * What a request showed of itself, before storage is asked: `none` also when something it showed is wrong. An API key is
 * known by its hash only and still to be looked up; `beside` is the right secret that was shown with it.
 */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'admin' }
  | { readonly kind: 'webhook' }
  | { readonly kind: 'apiKey'; readonly hash: string; readonly beside: 'none' | 'admin' | 'webhook' }
  | SessionCredential
  | SignInCredential;

/** The cookie of a console session. */
export interface SessionCredential {
  readonly kind: 'session';
  /** The SHA-256 of the cookie's value, by which the session is known. */
  readonly sessionId: string;
  /** Whether this call, which only reads, runs as a write that keeps when the session was used (http/session-use.ts). */
  readonly keepsUse: boolean;
}

/** What somebody signs in with, and the session that is to begin. */
export interface SignInCredential {
  readonly kind: 'signIn';
  /**
   * The admin secret, 0 being the one in force and 1 the previous one; or the hash of what is to be looked up: an API key
   * or an operator key, or the code of a sign-in link.
   */
  readonly by:
    | { readonly kind: 'adminSecret'; readonly index: number }
    | { readonly kind: 'key' | 'code'; readonly hash: string };
  /** The id of the session that begins, when it does. */
  readonly newSessionId: string;
  readonly userAgent: string | null;
}

/** Who is asking, known for certain. */
export type Caller =
  /** Somebody who needs no credential; `showedUnknownKey` when an API key was shown that is none. */
  | { readonly kind: 'client'; readonly showedUnknownKey?: true }
  | { readonly kind: 'admin'; readonly session?: OperatorSession }
  | { readonly kind: 'webhook' }
  | { readonly kind: 'creator'; readonly creatorId: string; readonly keyName: string; readonly session?: SessionInUse }
  | { readonly kind: 'newcomer'; readonly person: Person; readonly signIn: SignInCredential };

/** The console session by which a caller is known. */
export interface SessionInUse {
  readonly sessionId: string;
  /** What it was begun with: `admin` for the admin secret, else the hash of a key. */
  readonly source: string;
}

/** The same of the operator's people. */
export interface OperatorSession extends SessionInUse {
  readonly role: Role;
  /** As events name the person. */
  readonly actorName: string;
}

/** Who signs in: one of the operator's people, or a creator. */
export type Person =
  | {
      readonly kind: 'operator';
      readonly role: Role;
      /** The name of the operator key; null where it was the admin secret or a link, which name nobody. */
      readonly keyName: string | null;
      readonly source: string;
      /** Which of the admin secrets ends the session when it is taken away. */
      readonly secretIndex: number;
    }
  | { readonly kind: 'creator'; readonly creatorId: string; readonly keyName: string; readonly source: string };

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
      return caller.session === undefined ? { kind: 'operator' } : { kind: 'operator', name: caller.session.actorName };
    case 'webhook':
      return { kind: 'storefront' };
    case 'client':
    // Whoever signs in changes nothing but the sessions, and that is recorded under the name of the new one.
    case 'newcomer':
      return { kind: 'client' };
  }
}

/** A caller as the log names it. */
export interface CallerNames {
  /** `operator`, `storefront`, or `creator:` and the creator's id. */
  readonly actor: string;
  /** The name of a creator's API key, or of a person of the operator's as events have it. */
  readonly keyName?: string;
}

/** The names of a caller; undefined for those who need no credential. */
export function callerNames(caller: Caller): CallerNames | undefined {
  if (caller.kind === 'client' || caller.kind === 'newcomer') return undefined;
  const actor = actorOf(caller);
  const keyName = actorName(actor);
  return keyName === null ? { actor: actorText(actor) } : { actor: actorText(actor), keyName };
}

/** The same for a credential that shows by itself who asks. */
export function namesOfSecret(credential: Credential): CallerNames | undefined {
  return credential.kind === 'admin' || credential.kind === 'webhook'
    ? callerNames({ kind: credential.kind })
    : undefined;
}

/** What is known of a request when its caller is looked up. */
export interface Asked {
  readonly access: Access;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly settings: Settings;
  /** The transaction of a call that writes; null where it only reads. */
  readonly tx: Tx | null;
}

/** Whether only storage knows if what was shown is right. */
export function isLookedUp(credential: Credential): boolean {
  if (credential.kind === 'signIn') return credential.by.kind !== 'adminSecret';
  return credential.kind === 'apiKey' || credential.kind === 'session';
}

/** Turns a credential into a caller, or refuses with 401. */
export type Identify = (sql: Sql, credential: Credential, asked: Asked) => Promise<Caller | Refusal>;

/**
 * The form under which a raw API key is stored and listed. A key is 256 random bits, so nobody can guess it or search
 * through candidates: a slow password hash would only make every request slow.
 */
export function hashApiKey(rawKey: string): string {
  return hash('sha256', rawKey, 'hex');
}
