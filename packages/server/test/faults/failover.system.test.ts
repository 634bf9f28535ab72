/** Two nodes lose their primary PostgreSQL under load, and continue with its standby. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { CommitUnknown, statement } from '../../src/storage/contract/storage.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { onServer, promote, startSynchronousStandby, urlOfAll } from '../support/postgres-standby.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { Ledger } from './ledger.ts';

const insertNote = statement('test_failover_note.insert', 'insert into failover_note (body) values ($1)');

/** Log events of a node about its database. */
function saidOf({ log }: ServerProcess): unknown[] {
  return log.map(({ event }) => event).filter((event) => String(event).startsWith('database.'));
}

describe('a PostgreSQL primary that is lost', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let nodes: readonly ServerProcess[];

  before(async () => {
    primary = await startPostgres({ fsync: 'on' });
    standby = await startSynchronousStandby(primary);
    // The standby comes first, because the order in the URL must not decide.
    const url = urlOfAll([standby, primary]);
    nodes = await Promise.all([0, 1].map(() => startServerProcess({ engine: 'postgres', url })));
  });
  after(async () => {
    await Promise.all((nodes ?? []).map((node) => node.kill()));
    await Promise.all([primary?.stop(), standby?.stop()]);
  });

  it('costs nothing that was acknowledged, and the nodes go on by themselves with the standby once it is promoted', async (test) => {
    const ledger = new Ledger(() => nodes, randomInt);
    ledger.start();
    await ledger.untilChanged(300);
    const lostAt = performance.now();
    await primary.end('SIGKILL');
    // Promotes it only after both nodes have noticed.
    while (!nodes.every((node) => saidOf(node).length > 0)) await wait(5);
    await promote(standby);
    const promotedAt = performance.now();
    await ledger.untilChanged(1);
    const servedAt = performance.now();
    await ledger.untilChanged(300);
    await ledger.pause();
    await ledger.check({ engine: 'postgres', url: standby.url });
    const ms = (from: number, to: number) => `${Math.round(to - from)} ms`;
    test.diagnostic(
      `the first change after the loss: ${ms(lostAt, servedAt)} after it, ${ms(promotedAt, servedAt)} after the promotion; ${JSON.stringify(ledger.report())}`,
    );
    for (const node of nodes) assert.deepEqual(saidOf(node), ['database.away', 'database.back']);
  });

  it('is not used again when it comes back as if nothing had happened, also by a node that starts then', async (test) => {
    await primary.start();
    const url = urlOfAll([primary, standby]);
    const late = await startServerProcess({ engine: 'postgres', url });
    test.after(() => late.kill());
    const ledgerOf = async (server: PostgresServer) =>
      onServer(server, async (client) => (await client.query('select count(*) from event')).rows[0].count);
    const before = await ledgerOf(primary);
    for (const node of [late, ...nodes]) {
      const order = { adminSecret: 'admin-secret-of-the-tests', email: 'ada@example.com', productId: 'app' };
      assert.equal((await node.send('/createLicense', order)).status, 200);
    }
    assert.equal(await ledgerOf(primary), before);
  });
});

describe('a primary whose synchronous standby does not answer', () => {
  it('is not believed when it says that it has committed: a failover to that standby might lose it', async (test) => {
    const primary = await startPostgres({ synchronous_standby_names: 'nobody' });
    test.after(() => primary.stop());
    await onServer(primary, async (client) => {
      await client.query('set synchronous_commit = local');
      await client.query('create table failover_note (body text)');
      // Hides the warning that the commit is not confirmed, unless a session sets another level.
      await client.query('alter role postgres set client_min_messages = error');
    });
    const storage = await openPostgres({ url: primary.url, poolSize: 1 });
    test.after(() => storage.close());
    const ended = assert.rejects(
      storage.transaction((tx) => tx.run(insertNote, 'unconfirmed')),
      (error) => error instanceof CommitUnknown && /standby did not confirm/.test(error.message),
    );
    // As an operator does with a statement that hangs. The server then replies to COMMIT as if all were well.
    await onServer(primary, async (client) => {
      const cancel = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'";
      while ((await client.query(cancel)).rows.length === 0) await wait(10);
    });
    await ended;
  });
});

describe('one of several hosts that becomes read-only', () => {
  it('is left for the one that takes writes by connections that are open already', async (test) => {
    const [first, other] = await Promise.all([startPostgres(), startPostgres()]);
    test.after(() => Promise.all([first.stop(), other.stop()]));
    const setReadOnly = (server: PostgresServer, value: 'on' | 'off') =>
      onServer(server, async (client) => {
        await client.query(`alter system set default_transaction_read_only = ${value}`);
        await client.query('select pg_reload_conf()');
        while (true) {
          const shown = await onServer(server, (fresh) => fresh.query('show default_transaction_read_only'));
          if (shown.rows[0].default_transaction_read_only === value) return;
          await wait(10);
        }
      });
    // Servers that share only a password, which is enough to see where writes go.
    const { password } = new URL(first.url);
    await onServer(other, (client) => client.query(`alter role postgres password '${password}'`));
    const second = { ...other, url: urlOfAll([first, other]).replace(/@[^,]*,/, '@') };
    for (const server of [first, second])
      await onServer(server, (client) => client.query('create table failover_note (body text)'));
    await setReadOnly(second, 'on');
    const storage = await openPostgres({ url: urlOfAll([first, second]), poolSize: 3 });
    test.after(() => storage.close());
    const write = (body: string) => storage.transaction((tx) => tx.run(insertNote, body));
    await Promise.all(['a', 'b', 'c'].map(write));
    await setReadOnly(first, 'on');
    await setReadOnly(second, 'off');
    await Promise.all(['d', 'e', 'f', 'g', 'h'].map(write));
    const count = (server: PostgresServer) =>
      onServer(server, async (client) =>
        Number((await client.query('select count(*) from failover_note')).rows[0].count),
      );
    assert.deepEqual([await count(first), await count(second)], [3, 5]);
  });
});
