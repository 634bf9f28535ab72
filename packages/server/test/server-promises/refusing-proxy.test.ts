/** The rehearsal of other engines refuses the statements that their documentation excludes. The service uses none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import '../../src/app.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { differencesOf } from '../../src/storage/contract/engine-differences.ts';
import { repeatableStatements } from '../../src/storage/contract/repeatable-statements.ts';
import { CommitUnknown, statement } from '../../src/storage/contract/storage.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';
import { migrateDatabase, openStorage } from '../../src/storage/opening/open.ts';
import { commitError } from '../../src/storage/postgres/postgres-errors.ts';
import { startApp } from '../support/app.ts';
import { environmentOf, runCommandHere } from '../support/command.ts';
import { emptyDatabase } from '../support/databases.ts';
import { fillPool } from '../support/full-pool.ts';
import { Machine } from '../support/machine.ts';
import { statementsOfService } from '../support/service-statements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { documentedEngines, type RehearsedEngine, refusalOf } from './documented-refusals.ts';
import { type ProxyOptions, RefusingProxy } from './refusing-proxy.ts';

const ENGINES = Object.keys(documentedEngines) as RehearsedEngine[];

/**
 * Where a statement locks rows of one license only, these are replaced by a statement for each license, and each write
 * of tidying with a variant `_singly` by that (platform/jobs/due-store.ts).
 */
const LOCKS_OF_SEVERAL: readonly string[] = ['license.lock_by_keys', 'license.lock_whole_by_keys'];

function isReplaced(name: string): boolean {
  return LOCKS_OF_SEVERAL.includes(name) || statementsOfService().some((each) => each.name === `${name}_singly`);
}

const makeCounter = statement('test_proxy.make', 'create table counter (name text primary key, count bigint not null)');
const beginCounter = statement('test_proxy.begin', "insert into counter values ('one', 0)");
const readCounter = statement('test_proxy.read', "select count from counter where name = 'one'");
const setCounter = statement('test_proxy.set', "update counter set count = $1 where name = 'one'");
const lockCounter = statement(
  'test_proxy.lock',
  ({ forUpdate }) => `select count from counter where name = 'one' ${forUpdate}`,
);

async function proxyTo(
  test: TestContext,
  engine: RehearsedEngine,
  options: ProxyOptions = {},
): Promise<{ proxy: RefusingProxy; database: Database }> {
  const { database, remove } = await emptyDatabase('postgres');
  const proxy = await RefusingProxy.to((database as { url: string }).url, engine, options);
  test.after(async () => {
    await proxy.stop();
    await remove();
  });
  return { proxy, database: { engine: 'postgres', url: proxy.url } };
}

for (const engine of ENGINES)
  describe(`a rehearsal of ${engine}`, () => {
    const documented = documentedEngines[engine];
    const differences = differencesOf({ engine: 'postgres', url: `postgres://h/d?engine=${engine}` });

    it('accepts every statement of the service and of its migrations', () => {
      const { statements, tables, hasTransactionalTables } = differences;
      const names = statementsOfService()
        .filter(({ name }) => !(statements.locksSingly && isReplaced(name)))
        .filter((each) => refusalOf(documented, each.text(statements), true) !== undefined)
        .map(({ name }) => name);
      assert.deepEqual(names, []);
      for (const { name, script } of migrations) {
        const text = script(tables);
        for (const each of hasTransactionalTables ? [text] : repeatableStatements(text))
          assert.equal(refusalOf(documented, each, hasTransactionalTables), undefined, `${name}: ${each}`);
      }
    });

    it('migrates an empty database, and serves a race for the slots of a license', async (test) => {
      const { proxy, database } = await proxyTo(test, engine, { abortShare: 0.01, seed: 7 });
      await migrateDatabase(database, Date.now());
      const shared = { database, remove: async () => {} };
      const nodes = [await startApp('postgres', {}, shared), await startApp('postgres', {}, shared)];
      try {
        const licenseKey = await nodes[0]!.license({ maxMachines: 5 });
        await fillPool(...nodes);
        const answers = await Promise.all(
          Array.from({ length: 24 }, (_, index) =>
            new Machine(nodes[index % 2]!, licenseKey, `machine-${index}`).activate(),
          ),
        );
        assert.equal(answers.filter(({ status }) => status === 200).length, 5);
        assert.equal((await new Machine(nodes[1]!, licenseKey).verify()).body.machinesUsed, 5);
      } finally {
        await Promise.all(nodes.map((node) => node.stop()));
      }
      const refused = [...proxy.refused.keys()].filter((message) => !message.startsWith('restart transaction'));
      assert.deepEqual(refused, []);
    });
  });

describe('the refusing proxy', () => {
  it('answers with the code of the engine, and leaves a transaction as an error does', async (test) => {
    const { proxy } = await proxyTo(test, 'cockroachdb');
    const latchkey = new pg.Client({ connectionString: proxy.url, application_name: 'latchkey' });
    const another = new pg.Client({ connectionString: proxy.url });
    await Promise.all([latchkey.connect(), another.connect()]);
    const advisory = 'select pg_try_advisory_lock(1)';
    await assert.rejects(latchkey.query(advisory), { code: '42883' });
    await assert.rejects(latchkey.query('select $1::text, pg_walfile_name($2)', ['a', '0/0']), { code: '42883' });
    await latchkey.query('begin');
    await assert.rejects(latchkey.query('create table one (id bigint)'), { code: '0A000' });
    await assert.rejects(latchkey.query('select 1'), { code: '25P02' });
    await latchkey.query('rollback');
    assert.equal((await latchkey.query('select 1 as one')).rows[0].one, 1);
    assert.equal((await another.query(advisory)).rowCount, 1);
    await Promise.all([latchkey.end(), another.end()]);
    assert.equal(
      [...proxy.refused.values()].reduce((sum, times) => sum + times, 0),
      3,
    );
  });

  it('begins no session with settings that the engine does not know', async (test) => {
    const { proxy } = await proxyTo(test, 'cockroachdb');
    const asPostgres = proxy.url.replace('engine=cockroachdb', 'engine=postgresql');
    await assert.rejects(openStorage({ engine: 'postgres', url: asPostgres }), /unrecognized configuration parameter/);
    await (await openStorage({ engine: 'postgres', url: proxy.url })).close();
  });
});

describe('a transaction on an engine that aborts some', () => {
  it('is kept exactly once', async (test) => {
    const { proxy, database } = await proxyTo(test, 'cockroachdb', { abortShare: 0.1, seed: 3 });
    const storage = await openStorage(database);
    test.after(() => storage.close());
    await storage.read((sql) => sql.all(makeCounter));
    await storage.read((sql) => sql.all(beginCounter));
    const increments = Array.from({ length: 40 }, () =>
      storage.transaction(async (tx) => {
        const row = await tx.first<{ count: number }>(lockCounter);
        await tx.run(setCounter, row!.count + 1);
      }),
    );
    const kept = (await Promise.allSettled(increments)).filter(({ status }) => status === 'fulfilled').length;
    assert.ok(kept > 30, `${kept} of 40`);
    assert.equal((await storage.read((sql) => sql.first<{ count: number }>(readCounter)))?.count, kept);
    assert.ok([...proxy.refused.values()].some((times) => times > 0));
  });

  it('is exported whole, although its snapshot is rolled back now and then', async (test) => {
    const { proxy, database } = await proxyTo(test, 'yugabytedb', { abortShare: 0.05, seed: 3 });
    const folder = temporaryFolder(test);
    await migrateDatabase(database, Date.now());
    proxy.refused.clear();
    const file = join(folder, 'lines');
    const { code, err } = await runCommandHere(['export', file], environmentOf(database));
    assert.equal(code, 0, err);
    assert.deepEqual(readFileSync(file, 'utf8').trimEnd().split('\n').length, 2);
    assert.ok([...proxy.refused.values()].some((times) => times > 0));
  });

  it('may have been kept after a COMMIT whose completion is unknown', () => {
    const ambiguous = Object.assign(new pg.DatabaseError('result is ambiguous', 0, 'error'), { code: '40003' });
    assert.ok(commitError('transaction.commit', ambiguous) instanceof CommitUnknown);
    const conflict = Object.assign(new pg.DatabaseError('restart transaction', 0, 'error'), { code: '40001' });
    assert.ok(!(commitError('transaction.commit', conflict) instanceof CommitUnknown));
  });
});

describe('the documents of citus', () => {
  const refused = (sql: string) => refusalOf(documentedEngines.citus, sql, true) !== undefined;

  it('refuse a lock and a conflict that reach several licenses, and accept those of one', () => {
    const lock = (condition: string) => `select k.refusal_id from kept_refusal k where ${condition} for no key update`;
    assert.ok(refused(lock('k.first_at <= $1')));
    assert.ok(!refused(lock('k.license_key = $1 and k.first_at <= $2')));
    const insert = (target: string) =>
      `insert into license_file (license_key) values ($1) on conflict ${target} do nothing`;
    assert.ok(refused(insert('(fingerprint)')));
    assert.ok(!refused(insert('(license_key, fingerprint)')));
  });
});
