/** Completed requests to destinations, as the sender stores them. `listing-store.ts` reads them. */

import { statement, type Tx } from '../../storage/contract/storage.ts';
import { integerColumn, momentColumn, Table, textColumn } from '../../storage/contract/table.ts';
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

export const attemptTable = new Table<Attempt>('delivery_attempt', {
  attemptId: textColumn('attempt_id'),
  destinationId: textColumn('destination_id'),
  eventId: textColumn('event_id'),
  type: textColumn('type'),
  at: momentColumn('at'),
  durationMs: integerColumn('duration_ms'),
  outcome: textColumn('outcome'),
  status: integerColumn('status'),
});

const insertAttempts = attemptTable.insert('delivery_attempt.insert', {
  only: 'exists (select 1 from destination d where d.destination_id = r.destination_id)',
  conflict: 'on conflict (destination_id, attempt_id) do nothing',
});

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
  if (attempts.length > 0) await tx.run(insertAttempts, attemptTable.rows(attempts, attemptTable.fields));
}

/** Deletes the oldest attempts of a destination beyond the number kept. */
export async function trimAttemptsOf(tx: Tx, destinationId: string): Promise<void> {
  await tx.run(trimDelivered, destinationId, ATTEMPTS_KEPT);
  await tx.run(trimOthers, destinationId, ATTEMPTS_KEPT);
}
