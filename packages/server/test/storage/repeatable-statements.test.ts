/** Migrations on engines that do not keep changes of tables in a transaction. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { systemClock } from '../../src/ground/base/clock.ts';
import { differencesOf } from '../../src/storage/contract/engine-differences.ts';
import { repeatableStatements } from '../../src/storage/contract/repeatable-statements.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { openPostgresForMigration } from '../../src/storage/postgres/postgres-migration.ts';
import { emptyDatabase } from '../support/databases.ts';
import { waitsForLock } from '../support/lock-waits.ts';
import { onClient, rowOf } from '../support/own-connection.ts';
import { makeNotesAs } from './test-migrations.ts';

/**
 * Columns and indexes of all tables, as PostgreSQL describes them; engines differ in fillfactors and the lock's row.
 */
const DESCRIBE = `select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable as line
    from information_schema.columns where table_schema = current_schema() and table_name <> 'migration_lock'
  union all select indexdef from pg_indexes where schemaname = current_schema() and tablename <> 'migration_lock'
  order by 1`;

async function emptyUrl(test: TestContext): Promise<string> {
  const { database } = await emptyDatabase('postgres', test);
  return (database as { url: string }).url;
}

const described = (url: string) =>
  onClient(url, async (client) => (await client.query(DESCRIBE)).rows.map(({ line }) => line));

describe('a migration that runs statement by statement', () => {
  it('makes the same tables as one in a transaction, also when each statement runs twice', async (test) => {
    const [whole, single, twice] = [await emptyUrl(test), await emptyUrl(test), await emptyUrl(test)];
    const spread = (url: string) => ({ engine: 'postgres', url: `${url}?engine=yugabytedb` }) as const;
    await migrateDatabase({ engine: 'postgres', url: whole }, systemClock());
    await migrateDatabase(spread(single), systemClock());
    const { tables } = differencesOf(spread(twice));
    await onClient(twice, async (client) => {
      await client.query(
        'create table schema_migration (version integer not null primary key, name text not null, ' +
          "applied_at text not null, older_nodes text not null default 'must stop')",
      );
      for (const { script } of migrations)
        for (const statement of repeatableStatements(script(tables))) {
          await client.query(statement);
          await client.query(statement);
        }
    });
    const expected = await described(whole);
    assert.ok(expected.length > 100);
    assert.deepEqual(await described(single), expected);
    assert.deepEqual(await described(twice), expected);
  });

  it('goes on after an interruption at any statement', async (test) => {
    const whole = await emptyUrl(test);
    await migrateDatabase({ engine: 'postgres', url: whole }, systemClock());
    const url = await emptyUrl(test);
    const database = { engine: 'postgres', url: `${url}?engine=yugabytedb` } as const;
    const { tables } = differencesOf(database);
    for (const [index, { script }] of migrations.entries()) {
      const count = repeatableStatements(script(tables)).length;
      // The interruption: the statements so far are kept, and nothing records them.
      const half = repeatableStatements(script(tables)).slice(0, Math.ceil(count / 2));
      await onClient(url, async (client) => {
        for (const statement of half) await client.query(statement);
      });
      assert.equal((await migrateDatabase(database, systemClock(), migrations.slice(0, index + 1))).length, 1);
    }
    assert.deepEqual(await described(url), await described(whole));
  });

  it('waits while another node migrates', async (test) => {
    const url = await emptyUrl(test);
    const database = { engine: 'postgres', url: `${url}?engine=yugabytedb` } as const;
    const { lockRow, migrationLock } = differencesOf(database);
    await onClient(url, async (other) => {
      for (const statement of lockRow) await other.query(statement);
      await other.query(`begin; ${migrationLock}`);
      const migrating = migrateDatabase(database, systemClock(), [makeNotesAs(1)]);
      assert.equal(await waitsForLock(database, migrating), true);
      await other.query('rollback');
      assert.deepEqual(await migrating, ['0001_make_notes']);
    });
  });

  it('frees the lock when it ends, also if its connection goes on', async (test) => {
    const url = await emptyUrl(test);
    const database = { engine: 'postgres', url: `${url}?engine=yugabytedb` } as const;
    const differences = differencesOf(database);
    const connection = await openPostgresForMigration(database.url, differences);
    const isLockFree = async () => (await rowOf(database, differences.startLock!)) !== null;
    try {
      assert.equal(await connection.exclusively(isLockFree), false);
      assert.equal(await isLockFree(), true);
    } finally {
      await connection.close();
    }
  });

  it('says ASC for each column of an index, and takes semicolons and brackets as they are', () => {
    assert.deepEqual(
      repeatableStatements(`-- a comment; with a semicolon
        create index one on note (lower(body), (a || ''), b) where body <> ';(';
        create unique index two on note (a); insert into note (body) values ('it''s; (one)')`),
      [
        "create index if not exists one on note (lower(body) asc, (a || '') asc, b asc) where body <> ';('",
        'create unique index if not exists two on note (a asc)',
        "insert into note (body) values ('it''s; (one)') on conflict do nothing",
      ],
    );
  });

  it('refuses a statement that cannot run again', () => {
    assert.throws(() => repeatableStatements('alter table a rename to b'), /cannot repeat the statement/);
  });
});
