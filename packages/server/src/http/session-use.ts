/**
 * When sessions were used: it is kept in the database to five minutes. A call that writes keeps it in its own transaction.
 * For those that only read a short write of its own follows, once in four minutes: a list that may be long stays where it
 * delays no customer, and a database that takes no writes still serves reads.
 */
import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../clock.ts';
import type { Call, Dispatcher, Outcome } from '../dispatch/call.ts';
import type { Work } from '../endpoint/endpoint.ts';

/** With the minute of console/session.ts five of them. */
const INTERVAL_MS = 4 * MINUTE_MS;
/** More sessions than there can be, about 200 bytes each. What is forgotten is kept once more. */
const SESSIONS_KEPT = 4_000;
/** The shortest call of a session. */
const KEEPING_PATH = '/getConsoleSession';

export class SessionUse {
  readonly #dispatcher: Dispatcher;
  readonly #keptAt = new LRUCache<string, number>({ max: SESSIONS_KEPT });

  /** @param dispatcher runs the writes that keep it */
  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  /** Hears what came of a call of a session, at the call's time; others are none of its business. */
  note(call: Call, { kind }: Pick<Work, 'kind'>, { status }: Pick<Outcome, 'status'>): void {
    const { credential, requestContext } = call;
    if (credential.kind !== 'session' || status === 401 || status >= 500) return;
    const { sessionId } = credential;
    const { now } = requestContext;
    const keptAt = this.#keptAt.get(sessionId);
    if (kind === 'read' && keptAt !== undefined && Math.abs(now - keptAt) < INTERVAL_MS) return;
    this.#keptAt.set(sessionId, now);
    if (kind !== 'read') return;
    const keeping = {
      path: KEEPING_PATH,
      credential: { ...credential, keepsUse: true },
      read: { fields: {} },
      requestContext,
      idempotency: null,
    };
    // Nobody waits for it. What failed is tried with the next call.
    this.#dispatcher.dispatch(keeping, (outcome) => {
      if (outcome.status >= 500) this.#keptAt.delete(sessionId);
    });
  }
}
