/** For each failure of PostgreSQL: whether the transaction is retried, and the caller's reply. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Availability,
  CommitUnknown,
  type Storage,
  StorageAway,
  StorageBusy,
  statement,
} from '../../src/storage/contract/storage.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { BrokenLine } from '../support/broken-line.ts';
import type { Owner } from '../support/for-test.ts';
import { countOf, insertCounter, lockCounter, updateCounter } from './tables.ts';
import { openedTestStorage, postgresFor, testStorageFor } from './test-storage.ts';

const makeRaise = statement(
  'test_raise.make',
  `create function raise_code(code text) returns bigint language plpgsql as
   'begin raise exception using errcode = code; end'`,
);
const raise = statement('test_raise.run', 'select raise_code($1) as raised');
const makeTries = statement('test_tries.make', 'create sequence tries');
const restartTries = statement('test_tries.restart', 'alter sequence tries restart');
/** Ends its own connection the first time it is run. */
const endOnce = statement(
  'test_tries.end_once',
  `select case when nextval('tries') = 1 then pg_terminate_backend(pg_backend_pid()) else false end as ended`,
);
const countTries = statement('test_tries.count', 'select last_value as number from tries');
const sleep = statement('test_sleep.run', 'select 1 as slept from pg_sleep(0.4)');
const sleepLonger = statement('test_sleep.run_longer', 'select 1 as slept from pg_sleep(2)');
const showSynchronousCommit = statement('test_setting.show', 'show synchronous_commit');
const forget = statement(
  'test_setting.off',
  `do $do$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $do$`,
);

/** The error of each SQLSTATE, and the number of runs of its transaction. */
const MEANINGS: readonly [name: string, code: string, error: abstract new (...all: never) => Error, runs: number][] = [
  ['lock_not_available', '55P03', StorageBusy, 1],
  ['query_canceled', '57014', StorageBusy, 1],
  ['too_many_connections', '53300', StorageBusy, 1],
  ['connection_exception', '08000', StorageAway, 2],
  ['connection_failure', '08006', StorageAway, 2],
  ['idle_in_transaction_session_timeout', '25P03', StorageAway, 2],
  ['admin_shutdown', '57P01', StorageAway, 2],
  ['crash_shutdown', '57P02', StorageAway, 2],
  ['cannot_connect_now', '57P03', StorageAway, 2],
  ['database_dropped', '57P04', StorageAway, 2],
  ['read_only_sql_transaction', '25006', StorageAway, 1],
  ['disk_full', '53100', StorageAway, 1],
  ['io_error', '58030', StorageAway, 1],
  ['serialization_failure', '40001', StorageBusy, 10],
  ['deadlock_detected', '40P01', StorageBusy, 10],
  ['undefined_table', '42P01', Error, 1],
];

describe('a failure of PostgreSQL', () => {
  const test = openedTestStorage('postgres');
  let url: string;
  before(async () => {
    ({ url } = test.database as { url: string });
    await test.storage.transaction(async (tx) => {
      await tx.run(makeRaise);
      await tx.run(makeTries);
    });
  });

  /** Opens the database with parameters added to its URL. */
  function openWith(context: Owner, parameters: string, poolSize = 2): Promise<Storage> {
    return postgresFor(context, { url: `${url}?${parameters}`, poolSize });
  }

  for (const [name, code, expected, runs] of MEANINGS)
    it(`${name} is ${expected.name === 'Error' ? 'a failure like any other' : expected.name}, after ${runs} runs`, async () => {
      let run = 0;
      const ended = test.storage.transaction(async (tx) => {
        run += 1;
        await tx.run(insertCounter, `before ${code}`, 1);
        await tx.first(raise, code);
      });
      await assert.rejects(ended, (error) => {
        assert.ok(error instanceof expected);
        if (expected.name === 'Error') assert.ok(!(error instanceof StorageBusy || error instanceof StorageAway));
        return true;
      });
      assert.equal(run, runs);
      assert.equal(await test.storage.read((sql) => countOf(sql, `before ${code}`)), undefined);
      const reading = test.storage.read((sql) => sql.first(raise, code));
      await assert.rejects(reading, (error) => error instanceof expected);
    });

  it('is the storage’s own, whatever the work makes of it', async () => {
    const ended = test.storage.transaction(async (tx) => {
      await tx.first(raise, '57P01').catch(() => {
        throw new Error('the work’s own words');
      });
    });
    await assert.rejects(ended, StorageAway);
  });

  it('a statement that takes too long is StorageBusy: statement_timeout', async (context) => {
    const storage = await openWith(context, 'statement_timeout=100');
    await assert.rejects(
      storage.transaction((tx) => tx.first(sleep)),
      StorageBusy,
    );
    await assert.rejects(
      storage.read((sql) => sql.first(sleep)),
      StorageBusy,
    );
  });

  it('a row that stays locked is StorageBusy: lock_timeout', async (context) => {
    const storage = await openWith(context, 'lock_timeout=100');
    await test.storage.transaction(async (tx) => {
      await tx.run(insertCounter, 'held', 1);
    });
    await test.storage.transaction(async (tx) => {
      await tx.first(lockCounter, 'held');
      await assert.rejects(
        storage.transaction((other) => other.first(lockCounter, 'held')),
        StorageBusy,
      );
    });
  });

  it('a server that does not answer is StorageAway, and is not waited for twice: query_timeout', async (context) => {
    // It is also the timeout of the set-up of a connection, which takes a busy machine more than a tenth of a second.
    const storage = await openWith(context, 'query_timeout=800');
    let runs = 0;
    await assert.rejects(
      storage.transaction((tx) => {
        runs += 1;
        return tx.first(sleepLonger);
      }),
      (error: Error) => error instanceof StorageAway && /Query read timeout/.test(error.message),
    );
    assert.equal(runs, 1);
    await assert.rejects(
      storage.read((sql) => sql.first(sleepLonger)),
      StorageAway,
    );
  });

  it('a transaction that was idle for too long is run once more: idle_in_transaction_session_timeout', async (context) => {
    const storage = await openWith(context, 'idle_in_transaction_session_timeout=50', 1);
    let runs = 0;
    await storage.transaction(async (tx) => {
      runs += 1;
      await tx.run(insertCounter, `idle ${runs}`, 1);
      // The server ends the idle connection meanwhile.
      if (runs === 1) await test.storage.read((sql) => sql.first(sleep));
    });
    assert.equal(runs, 2);
    assert.deepEqual(
      [await storage.read((sql) => countOf(sql, 'idle 1')), await storage.read((sql) => countOf(sql, 'idle 2'))],
      [undefined, 1],
    );
  });

  it('a pool whose connections stay busy is StorageBusy', async () => {
    // It is also the timeout of the first connection, which a busy machine does not make in a tenth of a second.
    const storage = await openPostgres({ url, poolSize: 1, connectTimeoutMs: 1_500 });
    await storage.transaction(async (tx) => {
      await tx.run(insertCounter, 'while the pool is empty', 1);
      await Promise.all([
        assert.rejects(
          storage.transaction((other) => countOf(other, 'held')),
          StorageBusy,
        ),
        assert.rejects(
          storage.read((sql) => countOf(sql, 'held')),
          StorageBusy,
        ),
      ]);
    });
    await storage.close();
  });

  it('a read that meets a connection that was ended is asked again on another', async () => {
    await test.storage.transaction((tx) => tx.run(restartTries));
    assert.deepEqual(await test.storage.read((sql) => sql.first(endOnce)), { ended: 0 });
    assert.deepEqual(await test.storage.read((sql) => sql.first(countTries)), { number: 2 });
  });
});

describe('a PostgreSQL that goes away and comes back', () => {
  const test = openedTestStorage('postgres');
  let line: BrokenLine;
  let storage: Storage;
  const heard: Availability['state'][] = [];
  before(async () => {
    line = await BrokenLine.to((test.database as { url: string }).url);
    storage = await openPostgres({ url: line.url });
    storage.onAvailability(({ state }) => heard.push(state));
  });
  after(async () => {
    await storage.close();
    await line.close();
  });

  const write = (name: string) => storage.transaction((tx) => tx.run(insertCounter, name, 1));

  it('is said once to be away and once to be back, however many calls it cannot serve', async () => {
    line.cut();
    const calls = Array.from({ length: 20 }, (_, index) =>
      index % 2 ? write(`away ${index}`) : storage.read((sql) => countOf(sql, 'away')),
    );
    for (const end of await Promise.allSettled(calls))
      assert.ok(end.status === 'rejected' && end.reason instanceof StorageAway);
    assert.deepEqual(heard, ['away']);
    line.mend();
    while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await Promise.all([write('back'), storage.read((sql) => countOf(sql, 'away'))]);
    assert.deepEqual(heard.splice(0), ['away', 'available']);
  });

  it('is asked for by one connection at a time while it is away, however many calls there are', async () => {
    line.cut();
    const before = line.attempts;
    await assert.rejects(write('away'), StorageAway);
    const soon = line.attempts;
    const calls = Array.from({ length: 200 }, (_, index) => write(`away ${index}`));
    for (const end of await Promise.allSettled(calls)) assert.equal(end.status, 'rejected');
    assert.ok(line.attempts - before < 10, `${soon - before}, ${line.attempts - soon} attempts`);
    line.mend();
    while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await write('there again');
    heard.splice(0);
  });

  it('while its version is asked for ends the opening', async () => {
    line.cutBehind('server_version_num');
    await assert.rejects(openPostgres({ url: line.url }), StorageAway);
  });

  it('during COMMIT leaves the outcome unknown, and nothing is done twice', async () => {
    let runs = 0;
    line.cutBehind('transaction.commit');
    const ended = storage.transaction(async (tx) => {
      runs += 1;
      await tx.run(insertCounter, 'unknown', 1);
    });
    await assert.rejects(ended, CommitUnknown);
    assert.equal(runs, 1);
  });

  it('during the last write leaves the outcome unknown as well, because COMMIT was sent with it', async () => {
    let runs = 0;
    line.cutBehind('test_counter.update');
    const ended = storage.transaction(async (tx) => {
      runs += 1;
      await tx.runLast(updateCounter, 'unknown', 1);
    });
    await assert.rejects(ended, CommitUnknown);
    assert.equal(runs, 1);
  });
});

describe('the connections of PostgreSQL that write', () => {
  it('wait for the disk with synchronous_commit on, against the settings of the database', async (context) => {
    const test = await testStorageFor(context, 'postgres');
    await test.storage.transaction((tx) => tx.run(forget));
    const { url } = test.database as { url: string };
    const storage = await postgresFor(context, { url, poolSize: 3 });
    const { promise: allOpen, resolve } = Promise.withResolvers<void>();
    let open = 0;
    const shown = await Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        storage.transaction(async (tx) => {
          await tx.run(insertCounter, `durable ${index}`, 1);
          open += 1;
          if (open === 3) resolve();
          await allOpen;
          return tx.first(showSynchronousCommit);
        }),
      ),
    );
    assert.deepEqual(shown, Array(3).fill({ synchronous_commit: 'on' }));
  });
});
