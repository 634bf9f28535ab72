/** Stored replays. Requests change them under the lock of the destinations, the sender moves them under its lease. */
import { listOf, type Sql, statement, type Tx, tableOf, writeStatement } from '../../storage/contract/storage.ts';
import { integerColumn, jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { Replay } from './replay.ts';

const replayTable = new Table<Replay>('event_replay', {
  destinationId: textColumn('destination_id'),
  replayId: textColumn('replay_id'),
  since: textColumn('since'),
  until: textColumn('until'),
  types: jsonColumn('types', (stored) =>
    Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : null,
  ),
  position: integerColumn('position'),
  toPosition: integerColumn('to_position'),
  sent: integerColumn('sent'),
  askedAt: textColumn('asked_at'),
});

const list = statement(
  'event_replay.list',
  (dialect) => `select ${replayTable.select('r')} from event_replay r where r.destination_id ${dialect.among('$1')}`,
);
const insert = replayTable.insert('event_replay.insert');
const remove = statement('event_replay.delete', 'delete from event_replay where destination_id = $1');
const removeQueued = statement(
  'delivery.delete_replayed',
  `delete from delivery where destination_id = $1 and state = 'waiting' and cause = 'replay'`,
);
const move = writeStatement(
  'event_replay.move',
  (dialect) => `update event_replay set position = r.position, sent = r.sent
    from ${dialect.table('$1', { destination_id: 'text', replay_id: 'text', position: 'integer', sent: 'integer' })} r
    where event_replay.destination_id = r.destination_id and event_replay.replay_id = r.replay_id
    returning event_replay.destination_id as "destinationId"`,
);
const finish = statement(
  'event_replay.finish',
  'delete from event_replay where destination_id = $1 and replay_id = $2',
);

/** The progress of a replay. */
export interface ReplayProgress extends Pick<Replay, 'destinationId' | 'replayId' | 'position' | 'sent'> {
  /** True once every event of it is settled or stored as a delivery. */
  readonly isOver: boolean;
}

/** Returns the replays of destinations. */
export async function listReplays(sql: Sql, destinationIds: readonly string[]): Promise<readonly Replay[]> {
  if (destinationIds.length === 0) return [];
  const rows = await sql.all<StoredRow>(list, listOf(destinationIds));
  return rows.map((row) => replayTable.restore(row));
}

/** Returns the replay of a destination. */
export async function findReplay(sql: Sql, destinationId: string): Promise<Replay | null> {
  const [found] = await listReplays(sql, [destinationId]);
  return found ?? null;
}

/** Adds a replay. */
export async function insertReplay(tx: Tx, replay: Replay): Promise<void> {
  await tx.run(insert, replayTable.rows([replay], replayTable.fields));
}

/** Ends the replay of a destination, and deletes its deliveries that wait. */
export async function endReplay(tx: Tx, destinationId: string): Promise<void> {
  await tx.run(remove, destinationId);
  await tx.run(removeQueued, destinationId);
}

/**
 * Moves replays, and deletes those that are over.
 *
 * @returns the ids of the destinations whose replay has not been ended meanwhile
 */
export async function moveReplays(tx: Tx, moved: readonly ReplayProgress[]): Promise<ReadonlySet<string>> {
  if (moved.length === 0) return new Set();
  const rows = moved.map(({ destinationId, replayId, position, sent }) => [destinationId, replayId, position, sent]);
  const kept = await tx.all<{ destinationId: string }>(move, tableOf(rows));
  for (const { destinationId, replayId, isOver } of moved) if (isOver) await tx.run(finish, destinationId, replayId);
  return new Set(kept.map(({ destinationId }) => destinationId));
}
