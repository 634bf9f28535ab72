/** SQL that tests run beside the service, such as rows of an older version. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Database } from '../../src/storage/open.ts';

/** Runs a script of any number of statements on a connection of its own. */
export async function execute(database: Database, script: string): Promise<void> {
  if (database.engine === 'sqlite') {
    const file = new DatabaseSync(database.file);
    file.exec(script);
    file.close();
  } else {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(script);
    await client.end();
  }
}
