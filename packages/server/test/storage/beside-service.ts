/**
 * A command beside a service, in a process of its own: `backup FILE TARGET`, `checkpoint FILE`, which empties the log,
 * or `write FILE`, which writes and ends.
 */
import { DatabaseSync } from 'node:sqlite';
import { openStorage } from '../../src/storage/opening/open.ts';
import { insertCounter } from './tables.ts';

const [, , what, file = '', target = ''] = process.argv;
if (what === 'backup') {
  const database = new DatabaseSync(file, { timeout: 20_000 });
  database.prepare('vacuum into ?').run(target);
  database.close();
} else if (what === 'checkpoint') {
  const database = new DatabaseSync(file, { timeout: 20_000 });
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
} else {
  const storage = await openStorage({ engine: 'sqlite', file }, { lockTimeoutMs: 20_000 });
  await storage.transaction((tx) => tx.run(insertCounter, `beside ${process.pid}`, 1));
  await storage.close();
}
