/**
 * The lock of all destinations, and the last changes that a sender has to load. Every change of a destination, or of
 * the deliveries that its sender keeps in memory, holds the lock and is noted here: the sender loads the noted
 * destinations, because a service may have 10,000 others.
 */
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';

/** Changes that stay noted. A sender that has missed more of them loads all destinations. */
const NOTED_CHANGES = 1_000;

const takeTurn = statement(
  'destination_turn.take',
  `insert into destination_turn (turn, version) values ('destinations', 0)
   on conflict (turn) do update set version = destination_turn.version`,
);

const raiseVersion = statement(
  'destination_turn.raise',
  "update destination_turn set version = version + 1 where turn = 'destinations'",
);

const findVersion = statement(
  'destination_turn.find_version',
  "select t.version from destination_turn t where t.turn = 'destinations'",
);

const insertChange = statement(
  'destination_change.insert',
  `insert into destination_change (version, destination_id)
   select t.version, $1 from destination_turn t where t.turn = 'destinations'`,
);

const trimChanges = statement(
  'destination_change.trim',
  `delete from destination_change
   where version <= (select t.version from destination_turn t where t.turn = 'destinations') - $1`,
);

const listChanges = statement(
  'destination_change.list',
  `select c.destination_id as "destinationId" from destination_change c
   where c.version > $1 and c.version <= $2 order by c.version`,
);

/** Locks all destinations against other changes until the transaction ends. */
export async function lockDestinations(tx: Tx): Promise<void> {
  await tx.run(takeTurn);
}

/**
 * Notes that a destination, its progress, its replay or its deliveries have changed, so that its sender loads them.
 * The caller holds the lock.
 */
export async function noteChange(tx: Tx, destinationId: string): Promise<void> {
  await tx.run(raiseVersion);
  await tx.run(insertChange, destinationId);
  await tx.run(trimChanges, NOTED_CHANGES);
}

/**
 * A number that rises by one with each change of a destination in this database; 0 before the first. It tells whether
 * something changed since it was read, and nothing about the number of destinations: a copied database begins at 0.
 */
export async function findDestinationsVersion(sql: Sql): Promise<number> {
  return (await sql.first<{ version: number }>(findVersion))?.version ?? 0;
}

/** The changes since a version. */
export interface ChangesSince {
  readonly version: number;
  /** The changed and deleted destinations, each once; null if any may have changed. */
  readonly destinationIds: readonly string[] | null;
}

/**
 * Returns the changes since a version.
 *
 * @param known the version; {@link NEVER} is followed by changes that nobody noted
 */
export async function listChangesSince(sql: Sql, known: number): Promise<ChangesSince> {
  const version = await findDestinationsVersion(sql);
  // A restored database may have gone back.
  const isNoted = known >= 0 && known <= version && version - known <= NOTED_CHANGES;
  if (!isNoted) return { version, destinationIds: null };
  if (known === version) return { version, destinationIds: [] };
  const rows = await sql.all<{ destinationId: string }>(listChanges, known, version);
  return { version, destinationIds: [...new Set(rows.map(({ destinationId }) => destinationId))] };
}

/** The version of a sender that has loaded nothing. */
export const NEVER = -1;
