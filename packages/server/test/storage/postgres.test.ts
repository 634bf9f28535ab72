import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { type Dialect, type Storage, statement, type Tx } from '../../src/storage/contract/storage.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { earlierPostgresDialect, postgresDialect } from '../../src/storage/postgres/postgres-dialect.ts';
import { dialectOf } from '../../src/storage/postgres/postgres-version.ts';
import { execute, onClient } from '../support/own-connection.ts';
import { countOf, insertCounter, lockCounter, updateCounter } from './tables.ts';
import { openedTestStorage, postgresFor, testStorageFor } from './test-storage.ts';

/** Returns the SQL that the storage has chosen. */
const chosenSql = statement('test_dialect.chosen', (dialect) => `select '${nameOf(dialect)}' as name`);

function nameOf(dialect: Dialect): string {
  if (dialect === postgresDialect) return 'later';
  return dialect === earlierPostgresDialect ? 'earlier' : 'other';
}

const endOwnConnection = statement('test_connection.end', 'select pg_terminate_backend(pg_backend_pid()) as ended');

const showServerProcess = statement('test_connection.show', 'select pg_backend_pid() as pid');

const endOtherConnections = statement(
  'test_connection.end_others',
  `select count(pg_terminate_backend(pid)) as ended from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid()`,
);

const countOtherConnections = statement(
  'test_connection.count_others',
  'select count(*) as number from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
);

const countOpenTransactions = statement(
  'test_connection.count_open',
  `select count(*) as number from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`,
);

const makeEndOnCommit = [
  statement('test_ending.table', 'create table ending (id bigint not null)'),
  statement(
    'test_ending.function',
    `create function end_connection() returns trigger language plpgsql as
     'begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return null; end'`,
  ),
  statement(
    'test_ending.trigger',
    `create constraint trigger at_commit after insert on ending deferrable initially deferred
     for each row execute function end_connection()`,
  ),
];

const insertEnding = statement('test_ending.insert', 'insert into ending (id) values ($1)');

/** A promise that work can wait for, to bring two transactions to the same point. */
function barrier(parties: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === parties) resolve();
    return promise;
  };
}

describe('PostgreSQL', () => {
  const test = openedTestStorage('postgres');
  let url: string;
  before(() => {
    ({ url } = test.database as { url: string });
  });

  const increment = async (tx: Tx, name: string) => {
    const row = await tx.first<{ count: number }>(lockCounter, name);
    await tx.run(updateCounter, name, row!.count + 1);
  };

  it('gets the SQL for its version', async (context) => {
    const { rows } = await onClient(url, (client) => client.query('show server_version_num'));
    const version = Number(rows[0].server_version_num);
    const storage = await postgresFor(context, { url });
    const chosen = await storage.read((sql) => sql.first(chosenSql));
    assert.deepEqual(chosen, { name: version >= 170_000 ? 'later' : 'earlier' });
    assert.equal(dialectOf(169_999), earlierPostgresDialect);
    assert.equal(dialectOf(170_000), postgresDialect);
  });

  it('runs a deadlocked transaction again, so that both succeed', async () => {
    for (const name of ['left', 'right']) await test.storage.transaction((tx) => tx.run(insertCounter, name, 0));
    const bothHoldOne = barrier(2);
    let runs = 0;
    const incrementBoth = (first: string, second: string) =>
      test.storage.transaction(async (tx) => {
        runs += 1;
        await increment(tx, first);
        await bothHoldOne();
        await increment(tx, second);
      });
    await Promise.all([incrementBoth('left', 'right'), incrementBoth('right', 'left')]);
    assert.ok(runs > 2, 'there was no deadlock');
    assert.equal(await test.storage.read((sql) => countOf(sql, 'left')), 2);
    assert.equal(await test.storage.read((sql) => countOf(sql, 'right')), 2);
  });

  it('runs a transaction again when its last write is deadlocked', async () => {
    for (const name of ['up', 'down']) await test.storage.transaction((tx) => tx.run(insertCounter, name, 0));
    const bothHoldOne = barrier(2);
    let runs = 0;
    const setBoth = (first: string, second: string) =>
      test.storage.transaction(async (tx) => {
        runs += 1;
        await tx.run(updateCounter, first, 7);
        await bothHoldOne();
        await tx.runLast(updateCounter, second, 7);
      });
    await Promise.all([setBoth('up', 'down'), setBoth('down', 'up')]);
    assert.ok(runs > 2, 'there was no deadlock');
    for (const name of ['up', 'down']) assert.equal(await test.storage.read((sql) => countOf(sql, name)), 7);
  });

  it('gives up waiting for a locked row, and serves the next transaction', async (context) => {
    await test.storage.transaction((tx) => tx.run(insertCounter, 'locked', 0));
    const impatient = await postgresFor(context, { url, lockTimeoutMs: 50 });
    let runs = 0;
    await test.storage.transaction(async (tx) => {
      await increment(tx, 'locked');
      const waiting = impatient.transaction((other) => {
        runs += 1;
        return increment(other, 'locked');
      });
      await assert.rejects(waiting, /test_counter\.lock: .*lock timeout/);
    });
    assert.equal(runs, 1);
    await impatient.transaction((tx) => increment(tx, 'locked'));
    assert.equal(await test.storage.read((sql) => countOf(sql, 'locked')), 2);
  });

  it('runs a transaction once more when its connection is lost before the commit', async () => {
    let runs = 0;
    await test.storage.transaction(async (tx) => {
      runs += 1;
      await tx.run(insertCounter, 'lost once', 1);
      if (runs === 1) await tx.first(endOwnConnection);
    });
    assert.equal(runs, 2);
    assert.equal(await test.storage.read((sql) => countOf(sql, 'lost once')), 1);
  });

  it('gives up when the connection is lost twice', async () => {
    let runs = 0;
    const ended = test.storage.transaction(async (tx) => {
      runs += 1;
      await tx.first(endOwnConnection);
    });
    await assert.rejects(ended, /test_connection\.end: /);
    assert.equal(runs, 2);
  });

  it('does not run a transaction again when its connection is lost during the commit, and says so', async () => {
    await test.storage.transaction(async (tx) => {
      for (const make of makeEndOnCommit) await tx.run(make);
    });
    let runs = 0;
    const ended = test.storage.transaction(async (tx) => {
      runs += 1;
      await tx.run(insertEnding, 1);
    });
    await assert.rejects(ended, /lost during COMMIT: it is unknown whether the transaction was kept/);
    assert.equal(runs, 1);
    const withLastWrite = test.storage.transaction(async (tx) => {
      runs += 1;
      await tx.runLast(insertEnding, 2);
    });
    await assert.rejects(withLastWrite, /lost during COMMIT: it is unknown whether the transaction was kept/);
    assert.equal(runs, 2);
  });

  it('outlives the end of all its idle connections', async (context) => {
    const other = await postgresFor(context, { url });
    await Promise.all(Array.from({ length: 5 }, () => test.storage.read((sql) => countOf(sql, 'left'))));
    const { ended } = (await other.read((sql) => sql.first<{ ended: number }>(endOtherConnections)))!;
    assert.ok(ended > 0);
    while ((await other.read((sql) => sql.first<{ number: number }>(countOtherConnections)))!.number > 0);
    assert.equal(await test.storage.read((sql) => countOf(sql, 'left')), 2);
    await test.storage.transaction((tx) => tx.run(insertCounter, 'after the end', 1));
  });

  it('is closed once the server counts its connections no more', async (context) => {
    const other = await openPostgres({ url });
    const observer = await postgresFor(context, { url, poolSize: 1 });
    const others = () => observer.read((sql) => sql.first<{ number: number }>(countOtherConnections));
    await Promise.all(Array.from({ length: 10 }, () => test.storage.read((sql) => countOf(sql, 'left'))));
    const { number: before } = (await others())!;
    await Promise.all(Array.from({ length: 10 }, () => other.transaction((tx) => countOf(tx, 'left'))));
    await other.close();
    assert.ok((await others())!.number < before);
  });

  it('leaves no transaction open behind an error', async (context) => {
    const small = await postgresFor(context, { url, poolSize: 1 });
    for (const failure of [1, 2, 3]) {
      const ended = small.transaction(async (tx) => {
        await tx.run(insertCounter, 'left', failure);
      });
      await assert.rejects(ended);
    }
    await assert.rejects(
      small.transaction(async (tx) => {
        await increment(tx, 'left');
        throw new Error('a bug');
      }),
      /a bug/,
    );
    assert.deepEqual(await test.storage.read((sql) => sql.first(countOpenTransactions)), { number: 0 });
    assert.equal(await small.transaction((tx) => countOf(tx, 'left')), 2);
  });

  it('keeps its connection after a transaction that failed', async (context) => {
    const small = await postgresFor(context, { url, poolSize: 1 });
    const server = () => small.read((sql) => sql.first<{ pid: number }>(showServerProcess));
    const before = await server();
    const failed = small.transaction(async (tx) => {
      await tx.run(insertCounter, 'undone', 1);
      throw new Error('a bug');
    });
    await assert.rejects(failed, /a bug/);
    assert.deepEqual(await server(), before);
  });

  it('that takes no writes any more still serves reads as the only host, and none as one of several', async (context) => {
    const own = await testStorageFor(context, 'postgres');
    const { url: alone } = own.database as { url: string };
    const { host, pathname } = new URL(alone);
    const open = (hosts: string) => postgresFor(context, { url: alone.replace(host, hosts) });
    const [single, several] = [await open(host), await open(`${host},${host}`)];
    await execute(own.database, `alter database "${pathname.slice(1)}" set default_transaction_read_only = on`);
    // The transaction has the open connection, so the read needs a new one.
    const readAnew = (storage: Storage) => storage.transaction(() => storage.read((sql) => countOf(sql, 'none')));
    assert.equal(await readAnew(single), undefined);
    await assert.rejects(readAnew(several), /no host of PostgreSQL takes writes/);
  });

  it('never shows the password', async () => {
    const wrong = new URL(url);
    wrong.password = 'swordfish';
    const unreachable = new URL(wrong);
    unreachable.port = '1';
    const failing: [string, RegExp][] = [
      [wrong.href, /PostgreSQL cannot be reached: password authentication failed/],
      [unreachable.href, /PostgreSQL cannot be reached: .*ECONNREFUSED/],
      ['postgres://latchkey:swordfish@host:no-port/latchkey', /PostgreSQL cannot be reached: /],
    ];
    for (const [wrongUrl, expected] of failing) {
      await assert.rejects(openPostgres({ url: wrongUrl }), (error: Error) => {
        assert.match(error.message, expected);
        assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes('swordfish'));
        return true;
      });
    }
    const storage: Storage = await openPostgres({ url });
    await storage.close();
    assert.ok(!inspect(storage, { depth: 9 }).includes(new URL(url).password));
  });
});
