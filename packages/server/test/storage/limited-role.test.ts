/** A service whose database role may read and write rows and nothing more: only another role may change the tables. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../src/ground/base/clock.ts';
import { mintUuid } from '../../src/ground/base/random.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { emptyDatabase } from '../support/databases.ts';
import { appFor } from '../support/for-test.ts';
import { Machine } from '../support/machine.ts';
import { nextMigration } from '../support/next-migrations.ts';
import type { TestDatabase } from '../support/test-database.ts';

const PASSWORD = 'password-of-the-limited-role';

describe('a PostgreSQL role that may make no tables', () => {
  let owned: TestDatabase;
  let owner: pg.Client;
  let limited: Database;
  const role = `limited_${mintUuid().replaceAll('-', '')}`;

  before(async () => {
    owned = await emptyDatabase('postgres');
    const { url } = owned.database as { url: string };
    owner = new pg.Client(url);
    await owner.connect();
    await owner.query(`create role ${role} login password '${PASSWORD}'`);
    await owner.query(`alter default privileges grant select, insert, update, delete on tables to ${role}`);
    const address = new URL(url);
    address.username = role;
    address.password = PASSWORD;
    limited = { engine: 'postgres', url: address.href };
  });
  after(async () => {
    await owner.query(`drop owned by ${role}`);
    await owner.query(`drop role ${role}`);
    await owner.end();
    await owned.remove();
  });

  it('is refused with the reason while there are no tables', async () => {
    await assert.rejects(migrateDatabase(limited, systemClock()), {
      message:
        /^The table schema_migration cannot be created: .*permission denied for schema public.*\. Run the command migrate with a DATABASE_URL of the role that owns the tables;/,
    });
  });

  it('is refused with the name of the migration while the tables are those of an older version', async () => {
    await migrateDatabase(owned.database, systemClock());
    const next = nextMigration(1);
    await assert.rejects(migrateDatabase(limited, systemClock(), [...migrations, next]), {
      message: new RegExp(`^Migration ${next.name} failed: .*permission denied`),
    });
  });

  it('is advised to run migrate as the owner if a migration changes a table of the owner', async () => {
    const change = { ...nextMigration(1), script: () => 'alter table license add column one_more text' };
    await assert.rejects(migrateDatabase(limited, systemClock(), [...migrations, change]), {
      message: new RegExp(
        `^Migration ${change.name} failed: .*must be owner of table license\\. Run the command migrate with a ` +
          'DATABASE_URL of the role that owns the tables; the service may then use its own role$',
      ),
    });
  });

  it('serves everything once the tables are up to date', async (test) => {
    const client = new pg.Client((limited as { url: string }).url);
    await client.connect();
    await assert.rejects(client.query('create table one_more (id bigint)'), /permission denied/);
    await client.end();

    const app = await appFor(test, 'postgres', {}, { database: limited, remove: owned.remove });
    const machine = await new Machine(
      app,
      await app.license({ licenseType: 'floating', maxConcurrent: 1 }),
    ).activated();
    assert.equal((await machine.validate()).status, 200);
    assert.equal((await machine.heartbeat()).status, 200);
    assert.equal((await machine.verify()).body.machinesUsed, 1);
    assert.equal((await machine.deactivate()).status, 200);
    const ready = await app.send('/readyz', undefined, { method: 'GET' });
    assert.deepEqual([ready.status, ready.body.writes], [200, true]);
  });
});
