/**
 * When sessions were used: it is kept in the database to five minutes, by a call that writes. So of the calls of a session
 * that only read, one in four minutes runs in a transaction that keeps it; the others stay reads.
 */
import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../clock.ts';
import type { Outcome } from '../dispatch/call.ts';
import type { Credential } from '../endpoint/caller.ts';

/** With the minute of console/session.ts five of them. */
const INTERVAL_MS = 4 * MINUTE_MS;
/** More sessions than there can be, about 200 bytes each. What is forgotten is kept once more. */
const SESSIONS_KEPT = 4_000;

export class SessionUse {
  readonly #keptAt = new LRUCache<string, number>({ max: SESSIONS_KEPT });

  /** The credential of a call of this moment: one of a session says whether the call is to keep its use. */
  withUse(credential: Credential, now: number): Credential {
    if (credential.kind !== 'session') return credential;
    const keptAt = this.#keptAt.get(credential.sessionId);
    return { ...credential, keepsUse: keptAt === undefined || Math.abs(now - keptAt) >= INTERVAL_MS };
  }

  /** Hears what came of a call. */
  note(credential: Credential, outcome: Pick<Outcome, 'status'>, now: number): void {
    if (credential.kind !== 'session' || !credential.keepsUse) return;
    if (outcome.status !== 401 && outcome.status < 500) this.#keptAt.set(credential.sessionId, now);
  }
}

/**
 * The credential with which a read is to be tried again because it was refused for want of a write; null when there is
 * nothing to try. A database that takes no writes still serves reads.
 */
export function withoutUse(
  credential: Credential,
  { refused }: Pick<Outcome, 'refused'>,
  { kind }: { readonly kind: string },
): Credential | null {
  if (credential.kind !== 'session' || !credential.keepsUse || kind !== 'read') return null;
  return refused === 'database_away' || refused === 'overloaded' ? { ...credential, keepsUse: false } : null;
}
