/** Completed requests to destinations, as the sender stores them. `listing-store.ts` reads them. */
import { toTimestamp } from '../base/clock.ts';
import { statement, type Tx, tableOf } from '../storage/storage.ts';
import type { Outcome } from './request.ts';

/** A completed request. */
export interface Attempt {
  readonly destinationId: string;
  /** An ordered UUID. */
  readonly attemptId: string;
  readonly eventId: string;
  readonly type: string;
  readonly at: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly status: number | null;
}

/** Attempts kept for each destination, separately for delivered ones and others. */
const ATTEMPTS_KEPT = 500;
const ATTEMPT_COLUMNS = {
  destination_id: 'text',
  attempt_id: 'text',
  event_id: 'text',
  type: 'text',
  at: 'text',
  duration_ms: 'integer',
  outcome: 'text',
  status: 'integer',
} as const;

const insertAttempts = statement(
  'delivery_attempt.insert',
  (dialect) => `insert into delivery_attempt (${Object.keys(ATTEMPT_COLUMNS).join(', ')})
    select ${Object.keys(ATTEMPT_COLUMNS)
      .map((name) => `r.${name}`)
      .join(', ')} from ${dialect.table('$1', ATTEMPT_COLUMNS)} r
    where exists (select 1 from destination d where d.destination_id = r.destination_id)
    on conflict (destination_id, attempt_id) do nothing`,
);

const trimAttempts = (name: string, comparison: '=' | '<>') =>
  statement(
    name,
    `delete from delivery_attempt where destination_id = $1 and outcome ${comparison} 'delivered' and attempt_id <=
       (select a.attempt_id from delivery_attempt a where a.destination_id = $1 and a.outcome ${comparison} 'delivered'
        order by a.attempt_id desc limit 1 offset $2)`,
  );
const trimDelivered = trimAttempts('delivery_attempt.trim_delivered', '=');
const trimOthers = trimAttempts('delivery_attempt.trim_others', '<>');

/** Inserts attempts, except those of deleted destinations. */
export async function saveAttempts(tx: Tx, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const rows = attempts.map((each) => [
    each.destinationId,
    each.attemptId,
    each.eventId,
    each.type,
    toTimestamp(each.at),
    each.durationMs,
    each.outcome,
    each.status,
  ]);
  await tx.run(insertAttempts, tableOf(rows));
}

/** Deletes the oldest attempts of a destination beyond the number kept. */
export async function trimAttemptsOf(tx: Tx, destinationId: string): Promise<void> {
  await tx.run(trimDelivered, destinationId, ATTEMPTS_KEPT);
  await tx.run(trimOthers, destinationId, ATTEMPTS_KEPT);
}
