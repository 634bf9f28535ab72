/** Probes whether a database can read and write, for the health documents. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { type Storage, statement } from './storage.ts';

const read = statement('storage.probe', 'select 1 as "one"');

const write = statement(
  'storage.probe_write',
  `insert into job_lease (job, leased_until) values ('write probe', $1)
   on conflict (job) do update set leased_until = excluded.leased_until`,
);

/** Runs a trivial read. @throws as any read does */
export async function probeReads(storage: Storage): Promise<void> {
  await storage.read((sql) => sql.first(read));
}

/** Writes a lease that has already expired. @throws as any transaction does */
export async function probeWrites(storage: Storage, now: number): Promise<void> {
  await storage.transaction((tx) => tx.run(write, toTimestamp(now)));
}
