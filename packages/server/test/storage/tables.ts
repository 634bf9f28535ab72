/** Tables and statements of the storage tests, independent of the service's own. */
import { type Sql, type Storage, statement } from '../../src/storage/contract/storage.ts';

export const insertCounter = statement('test_counter.insert', 'insert into counter (name, count) values ($1, $2)');

export const lockCounter = statement(
  'test_counter.lock',
  (dialect) => `select count from counter where name = $1 ${dialect.forUpdate}`,
);

export const updateCounter = statement('test_counter.update', 'update counter set count = $2 where name = $1');

export const findCounter = statement('test_counter.find', 'select count from counter where name = $1');

export const listCounters = statement('test_counter.list', 'select name, count from counter order by count, name');

export const insertChild = statement('test_child.insert', 'insert into child (id, parent_id) values ($1, $2)');

export const countChildren = statement('test_child.count', 'select count(*) as number from child');

/** The value of one counter, undefined when it does not exist. */
export async function countOf(sql: Sql, name: string): Promise<number | undefined> {
  return (await sql.first<{ count: number }>(findCounter, name))?.count;
}

/** The names of all counters, lowest count first. */
export async function namesIn(storage: Storage): Promise<readonly string[]> {
  const rows = await storage.read((sql) => sql.all<{ name: string }>(listCounters));
  return rows.map((row) => row.name);
}
