/**
 * Session settings of PostgreSQL that the service relies on are read back, set where they are missing, and refused
 * where they do not hold.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { mintUuid } from '../../src/ground/base/random.ts';
import { type Storage, statement } from '../../src/storage/contract/storage.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { UnfitSession } from '../../src/storage/postgres/postgres-errors.ts';
import { environmentOf, runCommandHere, runProgram } from '../support/command.ts';
import { emptyDatabase, freshDatabase } from '../support/databases.ts';
import { Pooler } from '../support/pooler.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { insertCounter } from './tables.ts';
import { countersAndSamples } from './test-migrations.ts';

const SETTINGS = [
  'synchronous_commit',
  'client_min_messages',
  'jit',
  'enable_seqscan',
  'statement_timeout',
  'default_transaction_isolation',
];
const showSettings = statement(
  'test_session.show',
  `select ${SETTINGS.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`,
);
const AS_WANTED = {
  synchronous_commit: 'on',
  client_min_messages: 'warning',
  jit: 'off',
  enable_seqscan: 'off',
  statement_timeout: '15s',
  default_transaction_isolation: 'read committed',
};
const shown = (storage: Storage) => storage.transaction((tx) => tx.first(showSettings));
const TRANSACTION_MODE =
  /a pooler before PostgreSQL .* pool_mode = transaction .*: set pool_mode = session there, or connect/;

describe('the sessions of PostgreSQL', () => {
  let shared: TestDatabase;
  let url: string;
  before(async () => {
    shared = await emptyDatabase('postgres');
    ({ url } = shared.database as { url: string });
    await migrateDatabase(shared.database, 0, countersAndSamples);
    const client = new pg.Client(url);
    await client.connect();
    const name = new URL(url).pathname.slice(1);
    for (const setting of [
      'synchronous_commit = off',
      'client_min_messages = error',
      "default_transaction_isolation = 'serializable'",
      'jit = on',
    ])
      await client.query(`alter database "${name}" set ${setting}`);
    await client.end();
  });
  after(() => shared.remove());

  it('are as the service needs them, against the settings of the database', async () => {
    const storage = await openPostgres({ url });
    assert.deepEqual(await shown(storage), AS_WANTED);
    await storage.close();
  });

  it('hold behind a pooler that drops settings of a new connection', async (test) => {
    const pooler = await Pooler.to(url, 'session');
    const storage = await openPostgres({ url: pooler.url, poolSize: 4 });
    test.after(async () => {
      await storage.close();
      await pooler.close();
    });
    const all = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        await storage.transaction((tx) => tx.run(insertCounter, `pooled ${index}`, 1));
        return shown(storage);
      }),
    );
    assert.deepEqual(all, Array(8).fill(AS_WANTED));
  });

  it('follow the parameters of the URL, and a commit that does not wait is reported', async () => {
    const warnings: string[] = [];
    const options = encodeURIComponent('-c synchronous_commit=off -c search_path=public');
    const storage = await openPostgres({
      url: `${url}?options=${options}&statement_timeout=7000`,
      noticed: (warning) => warnings.push(warning),
    });
    assert.deepEqual(await shown(storage), { ...AS_WANTED, synchronous_commit: 'off', statement_timeout: '7s' });
    await storage.close();
    assert.ok(warnings.some((warning) => warning.startsWith('DATABASE_URL sets synchronous_commit=off: ')));
  });

  it('follow a URL that hides the warning of an unconfirmed commit, which is reported', async () => {
    for (const [level, isReported] of [
      ['error', true],
      ['warning', false],
      ['debug1', false],
    ] as const) {
      const warnings: string[] = [];
      const options = encodeURIComponent(`-c client_min_messages=${level}`);
      const storage = await openPostgres({
        url: `${url}?options=${options}`,
        noticed: (warning) => warnings.push(warning),
      });
      assert.deepEqual(await shown(storage), { ...AS_WANTED, client_min_messages: level });
      await storage.close();
      const said = warnings.filter((warning) => warning.startsWith(`DATABASE_URL sets client_min_messages=${level}: `));
      assert.equal(said.length, isReported ? 1 : 0, warnings.join());
    }
  });

  it('keep what the server lets nobody set, with a warning, unless changes could be lost', async (test) => {
    const { database, remove } = await emptyDatabase('postgres');
    const owner = new pg.Client((database as { url: string }).url);
    await owner.connect();
    const role = `bound_${mintUuid().replaceAll('-', '')}`;
    await owner.query(`create role ${role} login password 'password-of-the-bound-role'`);
    await owner.query('revoke execute on function pg_catalog.set_config(text, text, boolean) from public');
    await owner.query(`alter role ${role} set client_min_messages = warning`);
    const bound = new URL((database as { url: string }).url);
    bound.username = role;
    bound.password = 'password-of-the-bound-role';
    const pooler = await Pooler.to(bound.href, 'session');
    test.after(async () => {
      await pooler.close();
      await owner.query(`drop role ${role}`);
      await owner.end();
      await remove();
    });
    const warnings: string[] = [];
    const storage = await openPostgres({ url: pooler.url, noticed: (warning) => warnings.push(warning) });
    const { enable_seqscan, client_min_messages } = (await shown(storage)) as typeof AS_WANTED;
    await storage.close();
    assert.deepEqual([enable_seqscan, client_min_messages], ['on', 'warning']);
    const kept =
      'PostgreSQL has enable_seqscan=on in the sessions of Latchkey, though it was set to off: calls may be slow';
    assert.ok(
      warnings.some((warning) => warning.startsWith(kept)),
      warnings.join('\n'),
    );
    await owner.query(`alter role ${role} set client_min_messages = notice`);
    await assert.rejects(openPostgres({ url: pooler.url }), (error: Error) => {
      assert.ok(error instanceof UnfitSession);
      assert.match(error.message, /client_min_messages=notice .*: acknowledged changes could be lost$/);
      return true;
    });
  });

  it('are refused where a pooler changes them between transactions', async (test) => {
    const pooler = await Pooler.to(url, 'transaction');
    test.after(() => pooler.close());
    await assert.rejects(openPostgres({ url: pooler.url }), (error: Error) => {
      assert.ok(error instanceof UnfitSession);
      assert.match(error.message, TRANSACTION_MODE);
      return true;
    });
    await assert.rejects(migrateDatabase({ engine: 'postgres', url: pooler.url }, 0), UnfitSession);
  });
});

describe('a server of PostgreSQL that forgets', () => {
  it('is reported by a start and by check, once for each setting', async (test) => {
    const { database } = await freshDatabase('postgres', test);
    const service = await startServerProcess(database);
    const said = service.log.flatMap(({ event, warning }) => (event === 'session.noticed' ? [String(warning)] : []));
    await service.stop();
    const expected = ['PostgreSQL runs with fsync=off: ', 'PostgreSQL runs with full_page_writes=off: '];
    assert.equal(said.length, 2, said.join('\n'));
    for (const [index, beginning] of expected.entries()) assert.ok(said[index]?.startsWith(beginning));
    const { code, err } = await runCommandHere(['check'], environmentOf(database));
    assert.equal(code, 0, err);
    for (const beginning of expected) assert.ok(err.includes(`Warning: ${beginning}`), err);
  });

  it('is not reported if it keeps everything', async (test) => {
    const server = await startPostgres({ fsync: 'on', full_page_writes: 'on' });
    test.after(() => server.stop());
    const warnings: string[] = [];
    const storage = await openPostgres({ url: server.url, noticed: (warning) => warnings.push(warning) });
    await storage.close();
    assert.deepEqual(warnings, []);
  });
});

describe('a pooler in transaction mode', () => {
  it('is refused by a start at once and by check, with what to do about it', async (test) => {
    const { database, remove } = await freshDatabase('postgres');
    const pooler = await Pooler.to((database as { url: string }).url, 'transaction');
    test.after(async () => {
      await pooler.close();
      await remove();
    });
    const directory = temporaryFolder(test);
    const environment = { LATCHKEY_DATA_DIR: directory, DATABASE_URL: pooler.url };
    const started = await runProgram('src/main.ts', [], { PORT: '0', ...environment });
    assert.equal(started.code, 1);
    assert.match(started.err, TRANSACTION_MODE);
    const checked = await runCommandHere(['check'], environment);
    assert.equal(checked.code, 1);
    assert.match(checked.err, TRANSACTION_MODE);
  });
});
