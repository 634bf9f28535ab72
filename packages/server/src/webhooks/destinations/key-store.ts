/** The API keys that created or changed destinations. */
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';

const insert = statement(
  'destination_key.insert',
  `insert into destination_key (destination_id, key_hash) values ($1, $2)
   on conflict (destination_id, key_hash) do nothing`,
);

const listOfKey = statement(
  'destination_key.list_of_key',
  `select k.destination_id as "destinationId" from destination_key k where k.key_hash = $1 order by k.destination_id`,
);

const listOfCreator = statement(
  'destination_key.list_of_creator',
  `select d.destination_id as "destinationId" from destination d where d.creator_id = $1
     and exists (select 1 from destination_key k where k.destination_id = d.destination_id)
   order by d.destination_id`,
);

/** Notes that a key created or changed a destination. */
export async function noteKey(tx: Tx, destinationId: string, keyHash: string): Promise<void> {
  await tx.run(insert, destinationId, keyHash);
}

/** Returns the ids of the destinations that a key created or changed. */
export async function listIdsOfKey(sql: Sql, keyHash: string): Promise<readonly string[]> {
  return (await sql.all<{ destinationId: string }>(listOfKey, keyHash)).map(({ destinationId }) => destinationId);
}

/** Returns the ids of a creator's destinations that some key created or changed. */
export async function listIdsOfKeysOf(sql: Sql, creatorId: string): Promise<readonly string[]> {
  return (await sql.all<{ destinationId: string }>(listOfCreator, creatorId)).map(({ destinationId }) => destinationId);
}
