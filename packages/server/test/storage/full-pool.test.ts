import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { fillPool } from '../support/full-pool.ts';
import { rowOf } from '../support/own-connection.ts';

it('a filled pool has all connections open that a race of calls can use', async (test) => {
  const fresh = await freshDatabase('postgres', test);
  const settings = { LATCHKEY_POSTGRES_POOL: '12', LATCHKEY_POSTGRES_RESERVED: 'off' };
  const app = await startApp('postgres', settings, fresh);
  test.after(() => app.stop());
  const connections = async () => {
    const counted = `select count(*)::int as "open" from pg_stat_activity
      where datname = current_database() and application_name = 'latchkey'`;
    return Number((await rowOf(fresh.database, counted))?.open);
  };
  const before = await connections();
  await fillPool(app);
  const after = await connections();
  assert.deepEqual([before < 12, after], [true, 12]);
});
