/** The stored last believed round, and the times to compare it with. */
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';

const find = statement('believed_round.find', `select at from believed_round where name = 'last'`);

const lock = statement(
  'believed_round.lock',
  ({ forUpdate }) => `select at from believed_round where name = 'last' ${forUpdate}`,
);

const save = statement(
  'believed_round.save',
  `insert into believed_round (name, at) values ('last', $1) on conflict (name) do update set at = excluded.at`,
);

const findServerMoment = statement('database.own_moment', ({ ownMoment }) => ownMoment);

/** Returns the last believed round as a timestamp; undefined if there was none. */
export async function findRound(sql: Sql): Promise<string | undefined> {
  return (await sql.first<{ at: string }>(find))?.at;
}

/** Locks and returns the last believed round, so that several nodes compare and save it one after the other. */
export async function lockRound(tx: Tx): Promise<string | undefined> {
  return (await tx.first<{ at: string }>(lock))?.at;
}

/** Stores a round in place of the last one. @param at a timestamp */
export async function saveRound(tx: Tx, at: string): Promise<void> {
  await tx.run(save, at);
}

/** Returns the time of the database server's own clock, as a timestamp; null if the database has none. */
export async function findServerTime(sql: Sql): Promise<string | null> {
  return (await sql.first<{ moment: string | null }>(findServerMoment))?.moment ?? null;
}
