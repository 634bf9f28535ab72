/** Identifies callers and the data they may see (rules 5.1, 5.2). */
import { hash } from 'node:crypto';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { type Actor, actorName, actorText } from '../events/event.ts';
import type { Refusal } from './refusals.ts';
import type { Role } from './role.ts';
import type { Settings } from './rule-context.ts';

/**
 * The callers that an endpoint accepts.
 * - `client`: anyone; the license key (and the session token) is the only credential considered. The five client
 *   endpoints, and others that apps call
 * - `anyone`: no credential is needed; one that is shown is checked, and a wrong one counts as none
 * - `admin`: adminSecret, or an API key within its creator's products
 * - `superAdmin`: adminSecret only
 * - `webhook`: the webhook secret
 * - `webhookOrKey`: the webhook secret, or an API key within its creator's orders
 * - `adminOrWebhook`: adminSecret, the webhook secret, or an API key within its creator's products
 * - `console`: a console session and nothing else
 * - `signIn`: a secret or a code that is exchanged for a console session; it is a field of the body
 * - `inner`: sites and senders, inside the service; no request from outside reaches such an endpoint by its path
 *
 * roles.ts decides which of them also accept console sessions.
 */
export type Access =
  | 'client'
  | 'anyone'
  | 'admin'
  | 'superAdmin'
  | 'webhook'
  | 'webhookOrKey'
  | 'adminOrWebhook'
  | 'console'
  | 'signIn'
  | 'inner';

/**
 * The credential of a request before storage is asked; also `none` if a shown credential is wrong. An API key is
 * present only as its hash, which still has to be looked up; `beside` is the right secret shown with it.
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
  /** The SHA-256 of the cookie's value; identifies the session. */
  readonly sessionId: string;
  /** True if this read-only call runs as a write that records the use of the session (runtime/http/session-use.ts). */
  readonly keepsUse: boolean;
}

/** The sign-in credential, and the session that is to begin. */
export interface SignInCredential {
  readonly kind: 'signIn';
  /**
   * The admin secret, where 0 is the current one and 1 the previous one; or the hash to look up: of an API key, an
   * operator key, or the code of a sign-in link.
   */
  readonly by:
    | { readonly kind: 'adminSecret'; readonly index: number }
    | { readonly kind: 'key' | 'code'; readonly hash: string };
  /** The id that the new session will have. */
  readonly newSessionId: string;
  readonly userAgent: string | null;
}

/** An identified caller. */
export type Caller =
  /** A caller who needs no credential; `showedUnknownKey` if an unknown API key was shown. */
  | { readonly kind: 'client'; readonly showedUnknownKey?: true }
  | { readonly kind: 'admin'; readonly session?: OperatorSession }
  | { readonly kind: 'webhook' }
  | {
      readonly kind: 'creator';
      readonly creatorId: string;
      readonly keyName: string;
      /** The hash of the API key, also of the one that began a session. */
      readonly keyHash: string;
      readonly session?: SessionInUse;
    }
  | { readonly kind: 'newcomer'; readonly person: Person; readonly signIn: SignInCredential }
  /** A site or a sender of the service, which acts for somebody: the endpoint names the author of its changes. */
  | { readonly kind: 'inner'; readonly actor: Actor };

/** The console session that identifies a caller. */
export interface SessionInUse {
  readonly sessionId: string;
  /** The credential that began the session: `admin` for the admin secret, else the hash of a key. */
  readonly source: string;
}

/** The console session of one of the operator's people. */
export interface OperatorSession extends SessionInUse {
  readonly role: Role;
  /** The person's name in events. */
  readonly actorName: string;
}

/** A person who signs in: one of the operator's people, or a creator. */
export type Person =
  | {
      readonly kind: 'operator';
      readonly role: Role;
      /** The name of the operator key; null for the admin secret or a link, which identify no person. */
      readonly keyName: string | null;
      readonly source: string;
      /** Index of the admin secret whose removal ends the session. */
      readonly secretIndex: number;
      /** The end of the operator key, with which its sessions end; null for none. */
      readonly endsAt: string | null;
    }
  | { readonly kind: 'creator'; readonly creatorId: string; readonly keyName: string; readonly source: string };

/**
 * The data that a caller may see: everything (`creatorId` null) or the data of one creator. Every read of an admin
 * endpoint takes a Scope, and never selects rows out of scope, so that they look like absent ones.
 */
export interface Scope {
  readonly creatorId: string | null;
}

/** True if an endpoint refuses callers without a credential. */
export function needsCredential(access: Access): boolean {
  return access !== 'client' && access !== 'anyone';
}

export function scopeOf(caller: Caller): Scope {
  return { creatorId: caller.kind === 'creator' ? caller.creatorId : null };
}

/** The actor that events record for a caller's change. */
export function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'creator':
      return { kind: 'creator', creatorId: caller.creatorId, keyName: caller.keyName, keyHash: caller.keyHash };
    case 'admin':
      return caller.session === undefined ? { kind: 'operator' } : { kind: 'operator', name: caller.session.actorName };
    case 'webhook':
      return { kind: 'storefront' };
    case 'inner':
      return caller.actor;
    case 'client':
    // A sign-in changes only sessions, and is recorded under the name of the new session.
    case 'newcomer':
      return { kind: 'client' };
  }
}

/** A caller's names in the log. */
export interface CallerNames {
  /** `operator`, `storefront`, or `creator:` and the creator's id. */
  readonly actor: string;
  /** The name of a creator's API key, of one of the operator's people, or of a connector, as in events. */
  readonly keyName?: string;
}

/** The names of a caller; undefined for callers without a credential. */
export function callerNames(caller: Caller): CallerNames | undefined {
  const actor = actorOf(caller);
  if (actor.kind === 'client' || actor.kind === 'customer') return undefined;
  const keyName = actorName(actor);
  return keyName === null ? { actor: actorText(actor) } : { actor: actorText(actor), keyName };
}

/** The names for a credential that identifies its caller without a lookup. */
export function namesOfSecret(credential: Credential): CallerNames | undefined {
  return credential.kind === 'admin' || credential.kind === 'webhook'
    ? callerNames({ kind: credential.kind })
    : undefined;
}

/** The facts of a request for looking up its caller. */
export interface Asked {
  readonly access: Access;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly settings: Settings;
  /** The transaction of a call that writes; null for a read. */
  readonly tx: Tx | null;
}

/** True if only storage can check the credential. */
export function isLookedUp(credential: Credential): boolean {
  if (credential.kind === 'signIn') return credential.by.kind !== 'adminSecret';
  return credential.kind === 'apiKey' || credential.kind === 'session';
}

/** Turns a credential into a caller, or refuses with 401. */
export type Identify = (sql: Sql, credential: Credential, asked: Asked) => Promise<Caller | Refusal>;

/**
 * The form in which an API key is stored and listed. A key is 256 random bits, which nobody can guess or search, so a
 * slow password hash would only slow down every request.
 */
export function hashApiKey(rawKey: string): string {
  return hash('sha256', rawKey, 'hex');
}
