import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { startApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { fillPool } from '../support/full-pool.ts';

it('a filled pool has all connections open that a race of calls can use', async (test) => {
  const fresh = await freshDatabase('postgres');
  test.after(() => fresh.remove());
  const settings = { LATCHKEY_POSTGRES_POOL: '12', LATCHKEY_POSTGRES_RESERVED: 'off' };
  const app = await startApp('postgres', settings, fresh);
  test.after(() => app.stop());
  const observer = new pg.Client((fresh.database as { url: string }).url);
  await observer.connect();
  const connections = async () => {
    const counted = `select count(*)::int as "open" from pg_stat_activity
      where datname = current_database() and application_name = 'latchkey'`;
    return (await observer.query<{ open: number }>(counted)).rows[0]?.open;
  };
  const before = await connections();
  await fillPool(app);
  const after = await connections();
  await observer.end();
  assert.deepEqual([before! < 12, after], [true, 12]);
});
