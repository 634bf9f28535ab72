/**
 * Records when sessions were last used, in the database, accurate to five minutes. A call that writes records it in its
 * own transaction. After calls that only read, a short separate write follows at most every four minutes. So a long
 * list still runs where it delays no customer, and a read-only database still serves reads.
 */
import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../ground/base/clock.ts';
import type { Work } from '../../platform/endpoint/endpoint.ts';
import type { Outcome } from '../../platform/endpoint/outcome.ts';
import type { Call, Dispatcher } from '../dispatch/call.ts';

/** Adds up to five minutes with the minute of access/console/session.ts. */
const INTERVAL_MS = 4 * MINUTE_MS;
/** More sessions than can exist, at about 200 bytes each. A forgotten session is recorded once more. */
const SESSIONS_KEPT = 4_000;
/** The cheapest call of a session. */
const KEEPING_PATH = '/getConsoleSession';

export class SessionUse {
  readonly #dispatcher: Dispatcher;
  readonly #keptAt = new LRUCache<string, number>({ max: SESSIONS_KEPT });

  /** @param dispatcher runs the writes that record the use */
  constructor(dispatcher: Dispatcher) {
    this.#dispatcher = dispatcher;
  }

  /** Processes the outcome of a call at the call's time; ignores calls without a session. */
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
    // Nothing waits for this write. After a failure, the next call tries again.
    this.#dispatcher.dispatch(keeping, (outcome) => {
      if (outcome.status >= 500) this.#keptAt.delete(sessionId);
    });
  }
}
