/**
 * A command beside a service, in a process of its own: `backup FILE TARGET`, `checkpoint FILE`, which empties the log,
 * or `write FILE`, which writes and ends.
 */
import { openStorage } from '../../src/storage/opening/open.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { insertCounter } from './tables.ts';

const [, , what, file = '', target = ''] = process.argv;
if (what === 'backup') {
  const database = openSqliteFile(file);
  database.prepare('vacuum into ?').run(target);
  database.close();
} else if (what === 'checkpoint') {
  const database = openSqliteFile(file);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
} else {
  const storage = await openStorage({ engine: 'sqlite', file }, { lockTimeoutMs: 20_000 });
  await storage.transaction((tx) => tx.run(insertCounter, `beside ${process.pid}`, 1));
  await storage.close();
}
