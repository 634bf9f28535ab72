/** A start that fails or is ended leaves nothing open, at any step. */
import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { openAll } from '../../../src/ground/base/opened.ts';
import type { Config } from '../../../src/runtime/config/config.ts';
import { loadConfig } from '../../../src/runtime/config/read-config.ts';
import { listenFault } from '../../../src/runtime/http/listen-fault.ts';
import { startServer } from '../../../src/runtime/service/server.ts';
import { lockSqliteFile } from '../../../src/storage/sqlite/sqlite-file-lock.ts';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { rowOf } from '../../support/own-connection.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { TestDatabase } from '../../support/test-database.ts';

/** A configuration that starts, with metrics on, which open one more port and thread. */
async function configOf(
  test: TestContext,
  { database }: TestDatabase,
  environment: Readonly<Record<string, string>> = {},
): Promise<Config> {
  const directory = temporaryFolder(test);
  const config = loadConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    LATCHKEY_METRICS_PORT: '0',
    LATCHKEY_DATA_DIR: directory,
    LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
    LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET,
    LATCHKEY_LOG_LEVEL: 'error',
    ...(database.engine === 'postgres' ? { DATABASE_URL: database.url } : {}),
    ...environment,
  });
  return database.engine === 'sqlite' ? { ...config, database } : config;
}

/** A signal that aborts when the start checks it for the n-th time, and the number of checks. */
function givenAtLook(count: number): { readonly signal: AbortSignal; readonly looks: () => number } {
  const controller = new AbortController();
  let looks = 0;
  const { signal } = controller;
  signal.throwIfAborted = () => {
    looks += 1;
    if (looks === count) controller.abort();
    if (signal.aborted) throw signal.reason;
  };
  return { signal, looks: () => looks };
}

const OTHER_CONNECTIONS =
  'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

const isListening = () => process.getActiveResourcesInfo().includes('TCPServerWrap');

/**
 * Waits until nothing of a service is left: no port, no connection to PostgreSQL, and not the lock of SQLite, which is
 * released after the threads have ended.
 */
async function assertClosed({ database }: TestDatabase, step: string): Promise<void> {
  const look = async (): Promise<string | null> => {
    if (isListening()) return 'a port';
    if (database.engine === 'postgres')
      return (await rowOf(database, OTHER_CONNECTIONS)) === null ? null : 'a connection to PostgreSQL';
    try {
      lockSqliteFile(database.file).release();
      return null;
    } catch {
      return 'the lock of SQLite';
    }
  };
  let left = await look();
  for (let tries = 0; tries < 500 && left !== null; tries++) {
    await wait(20);
    left = await look();
  }
  assert.equal(left, null, step);
}

/** A port on which another server listens. */
async function busyPort(
  test: TestContext,
  host = '127.0.0.1',
  port = 0,
): Promise<{ readonly port: number; end(): Promise<void> }> {
  const other = createServer();
  await new Promise<void>((resolve, reject) => other.once('error', reject).listen(port, host, resolve));
  const end = () => new Promise<void>((resolve) => other.close(() => resolve()));
  test.after(end);
  return { port: (other.address() as AddressInfo).port, end };
}

for (const engine of engines)
  describe(`a start on ${engine}`, () => {
    it('that is ended before any of its steps closes the parts of earlier steps', async (test) => {
      const database = await freshDatabase(engine, test);
      const config = await configOf(test, database);
      let steps = 0;
      for (let step = 1; ; step++) {
        const { signal, looks } = givenAtLook(step);
        const started = await startServer(config, systemClock, {}, signal).catch((error: unknown) => error);
        if (started === signal.reason && signal.aborted) {
          await assertClosed(database, `step ${step}`);
          continue;
        }
        assert.ok(!(started instanceof Error), String(started));
        await (started as Awaited<ReturnType<typeof startServer>>).stop('test');
        steps = looks();
        break;
      }
      // Metrics, engine with its parts, health, two ports, the look at the certificate.
      assert.ok(steps >= 10, `${steps} steps`);
      await assertClosed(database, 'a service that was stopped');
    });

    for (const [name, environmentOf] of [
      ['a PORT that is in use', (port: number) => ({ PORT: String(port) })],
      ['a LATCHKEY_METRICS_PORT that is in use', (port: number) => ({ LATCHKEY_METRICS_PORT: String(port) })],
      ['a HOST that this machine does not have', () => ({ HOST: '192.0.2.1' })],
      ['a HOST that nobody knows', () => ({ HOST: 'nowhere.invalid' })],
    ] as const)
      it(`with ${name} closes the database and lets go of its lock`, async (test) => {
        const database = await freshDatabase(engine, test);
        const busy = await busyPort(test);
        const config = await configOf(test, database, environmentOf(busy.port));
        await assert.rejects(startServer(config));
        await busy.end();
        await assertClosed(database, name);
      });
  });

it('a start on localhost listens on neither address when one of them is in use', async (test) => {
  const database = await freshDatabase('sqlite', test);
  const busy = await busyPort(test, '::1').catch(() => null);
  if (busy === null) return test.skip('this machine has no IPv6');
  const config = await configOf(test, database, { HOST: 'localhost', PORT: String(busy.port) });
  await assert.rejects(startServer(config), /PORT is \d+, where another program already listens on ::1/);
  await busy.end();
  await assertClosed(database, 'both addresses');
});

it('a start passes on an error as it is unless the system refuses to listen', () => {
  const place = { host: '127.0.0.1', port: 80 };
  const refused = Object.assign(new Error('refused'), { code: 'EACCES', syscall: 'listen' });
  const ofProgram = Object.assign(new Error('a fault of the program'), { code: 'ERR_INVALID_ARG_TYPE' });
  const failed = (given: typeof place | null, error: Error) => () => listenFault(given, 'HOST', 'PORT')(error);
  assert.throws(failed(place, refused), /^ConfigError: PORT is 80, which this user may not listen on/);
  for (const [given, error] of [
    [place, ofProgram],
    [null, refused],
  ] as const)
    assert.throws(failed(given, error), (thrown) => thrown === error);
});

describe('parts that are opened together', () => {
  const open = (name: string, closed: string[]) => [() => name, () => void closed.push(name)] as const;
  const { signal } = new AbortController();

  it('are closed again in reverse when a step fails, whose reason is thrown', async () => {
    const closed: string[] = [];
    const failing = openAll(signal, async (opened) => {
      await opened.part(...open('one', closed));
      await opened.part(
        () => 'two',
        () => Promise.reject(new Error('cannot be closed')),
      );
      await opened.part(...open('three', closed));
      throw new Error('the reason');
    });
    await assert.rejects(failing, { message: 'the reason' });
    assert.deepEqual(closed, ['three', 'one']);
  });

  it('are given up where one does not close', async () => {
    const failing = openAll(signal, async (opened) => {
      await opened.part(
        () => 'one',
        () => new Promise(() => {}),
      );
      throw new Error('the reason');
    });
    await assert.rejects(failing, { message: 'the reason' });
  });
});
