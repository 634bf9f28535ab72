/** A service that starts before its PostgreSQL does. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../support/app.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { onServer } from '../../support/postgres-standby.ts';
import { processEnvironment } from '../../support/process-environment.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const SECRETS = { LATCHKEY_ADMIN_SECRET: ADMIN_SECRET, LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET };

interface Started {
  /** Sends a signal. */
  signal(name: NodeJS.Signals): void;
  /** Resolves with the first log line of an event; rejects when the process ends before. */
  logged(event: string): Promise<Readonly<Record<string, unknown>>>;
  /** Every line of the log so far. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
  /** Its standard error, once it has ended. */
  readonly said: Promise<string>;
}

/** Starts the service without waiting for it to listen. */
async function start(url: string, environment: Readonly<Record<string, string>> = {}): Promise<Started> {
  const service = spawn(process.execPath, [MAIN], {
    env: {
      ...processEnvironment,
      ...SECRETS,
      HOST: '127.0.0.1',
      PORT: '0',
      LATCHKEY_DATA_DIR: temporaryFolder({ after }),
      DATABASE_URL: url,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(() => service.kill('SIGKILL'));
  const log: Record<string, unknown>[] = [];
  const lines = createInterface({ input: service.stdout });
  lines.on('line', (line) => log.push(JSON.parse(line) as Record<string, unknown>));
  const ended = once(service, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const logged = async (event: string) => {
    let line = log.find((each) => each.event === event);
    while (line === undefined) {
      if (service.exitCode !== null) throw new Error(`it ended without ${event}`);
      await Promise.race([once(lines, 'line'), ended]);
      line = log.find((each) => each.event === event);
    }
    return line;
  };
  return { signal: (name) => service.kill(name), log, logged, ended, said: text(service.stderr) };
}

describe('a service whose PostgreSQL is not there yet', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
    await server.end('SIGINT');
  });
  after(() => server.stop());

  it('says so once, and serves when it is there', async (test) => {
    const service = await start(server.url);
    const { warning, database, reason } = await service.logged('database.awaited');
    assert.match(String(warning), /cannot be reached yet.* 60 seconds \(LATCHKEY_DATABASE_WAIT\)/);
    assert.match(String(database), /^PostgreSQL, database postgres on 127\.0\.0\.1:\d+ as postgres$/);
    assert.match(String(reason), /ECONNREFUSED/);
    await server.start();
    // Also after a failure: the other tests wait for a server that is not there.
    test.after(() => server.end('SIGINT'));
    await service.logged('service.started');
    const events = service.log
      .map(({ event }) => event)
      .filter((event) => !/^start|^migration|^tables|^session/.test(String(event)));
    assert.deepEqual(events, ['database.awaited', 'database.reached', 'service.started']);
    service.signal('SIGTERM');
    assert.deepEqual(await service.ended, [0, null]);
  });

  it('ends at once and in order at SIGTERM', async () => {
    const service = await start(server.url, { LATCHKEY_DATABASE_WAIT: '1h' });
    await service.logged('database.awaited');
    service.signal('SIGTERM');
    assert.deepEqual(await service.ended, [0, null]);
    assert.doesNotMatch(await service.said, /cannot start/);
  });

  for (const [value, count] of [
    ['off', 0],
    ['0', 0],
    ['1s', 1],
  ] as const)
    it(`gives up and says why with LATCHKEY_DATABASE_WAIT=${value}`, async () => {
      const service = await start(server.url, { LATCHKEY_DATABASE_WAIT: value });
      assert.deepEqual(await service.ended, [1, null]);
      assert.match(
        await service.said,
        /Latchkey cannot start: Unreachable: PostgreSQL cannot be reached: .*ECONNREFUSED/,
      );
      assert.equal(service.log.filter(({ event }) => event === 'database.awaited').length, count);
    });
});

describe('a service whose PostgreSQL is there and refuses it', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  for (const [name, change, expected] of [
    ['the password is wrong', (url: URL) => (url.password = 'wrong'), /password authentication failed/],
    ['there is no such database', (url: URL) => (url.pathname = '/nowhere'), /database "nowhere" does not exist/],
    ['the server has no TLS', (url: URL) => (url.search = '?sslmode=verify-full'), /does not support SSL/],
  ] as const)
    for (const hosts of ['one host', 'two hosts'])
      it(`does not wait when ${name}, with ${hosts}`, async () => {
        const url = new URL(server.url);
        change(url);
        const { href } = url;
        const service = await start(hosts === 'one host' ? href : href.replace(url.host, `${url.host},${url.host}`));
        assert.deepEqual(await service.ended, [1, null]);
        const said = await service.said;
        assert.match(said, expected);
        assert.ok(!said.includes(new URL(server.url).password) && !said.includes('wrong@'), 'a password');
        assert.deepEqual(
          service.log.filter(({ event }) => event === 'database.awaited'),
          [],
        );
      });
});

describe('a service none of whose hosts takes writes yet', () => {
  it('waits, names each host, and starts once one does', async (test) => {
    const server = await startPostgres();
    test.after(() => server.stop());
    await onServer(server, async (client) => {
      await client.query('alter system set default_transaction_read_only = on');
      await client.query('select pg_reload_conf()');
    });
    const { host } = new URL(server.url);
    const service = await start(server.url.replace(host, `127.0.0.1:1,${host}`));
    const { reason } = await service.logged('database.awaited');
    assert.match(String(reason), new RegExp(`127\\.0\\.0\\.1:1: .*ECONNREFUSED.*; ${host}: it takes no writes`));
    await onServer(server, async (client) => {
      await client.query('set default_transaction_read_only = off');
      await client.query('alter system set default_transaction_read_only = off');
      await client.query('select pg_reload_conf()');
    });
    await service.logged('service.started');
    service.signal('SIGTERM');
    assert.deepEqual(await service.ended, [0, null]);
  });
});

it('a start that a server answers is not waited for', async (test) => {
  const server = await startPostgres();
  test.after(() => server.stop());
  const node = await startServerProcess({ engine: 'postgres', url: server.url }, { LATCHKEY_DATABASE_WAIT: 'off' });
  assert.equal(await node.stop(), 0);
  assert.ok(!node.log.some(({ event }) => String(event).startsWith('database.')));
});
