/**
 * With SQLite the reader thread starts with the first read. It starts once, even if several calls need it, and no call
 * is lost.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, renameSync } from 'node:fs';
import { Agent } from 'node:https';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import type { Outcome } from '../../../src/platform/endpoint/outcome.ts';
import type { Call, Dispatcher } from '../../../src/runtime/dispatch/call.ts';
import { startWhenCalled } from '../../../src/runtime/dispatch/start-when-called.ts';
import { startOwnThread } from '../../../src/runtime/dispatch/storage-thread.ts';
import { StorageAway } from '../../../src/storage/contract/storage.ts';
import { ADMIN_SECRET, sendRequest, startApp, type TestApp } from '../../support/app.ts';
import { requestContextAt } from '../../support/contexts.ts';
import { freshDatabase } from '../../support/databases.ts';

const TIME_LIMIT = { timeout: 2 * MINUTE_MS };

/** Threads as they are outside of tests. */
const OWN_THREADS = { startThread: startOwnThread };

/** Number of simultaneous reads. */
const READS = 40;

/** The threads that this process starts from now on, until the test is over. */
async function threadsStarted(test: TestContext): Promise<readonly Worker[]> {
  // The thread that limits the time of the file may have started without having been reported yet.
  await nextTurn();
  const started: Worker[] = [];
  const note = (worker: Worker) => void started.push(worker);
  process.on('worker', note);
  test.after(() => process.off('worker', note));
  return started;
}

/** Sends several reads at once, over connections that are already open. */
async function readAtOnce(app: TestApp): Promise<readonly number[]> {
  const unknown = { licenseKey: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE', productId: 'app' };
  await Promise.all(Array.from({ length: READS }, () => app.send('/verify', unknown)));
  const answers = await Promise.all(Array.from({ length: READS }, () => app.admin('/listProducts')));
  return answers.map(({ status }) => status);
}

describe('the reader thread of a service', TIME_LIMIT, () => {
  it('is not there before the first read, and is started once by many first reads, which are all answered', async (test) => {
    const started = await threadsStarted(test);
    const app = await startApp('sqlite', {}, undefined, OWN_THREADS);
    try {
      await app.license();
      assert.equal(started.length, 1, 'the writer alone');
      assert.deepEqual(await readAtOnce(app), Array(READS).fill(200));
      assert.equal(started.length, 2);
      assert.deepEqual(await readAtOnce(app), Array(READS).fill(200));
      assert.equal(started.length, 2);
    } finally {
      await app.stop();
    }
  });

  it('runs from the start with metrics on, because it measures the database', async (test) => {
    const started = await threadsStarted(test);
    const app = await startApp('sqlite', { LATCHKEY_METRICS_PORT: '0' }, undefined, OWN_THREADS);
    try {
      assert.equal(started.length, 2);
    } finally {
      await app.stop();
    }
  });

  it('is ended with the service that stops while it starts, after the read that started it was answered', async (test) => {
    const started = await threadsStarted(test);
    const app = await startApp('sqlite', {}, undefined, OWN_THREADS);
    const starting = once(process, 'worker') as Promise<[Worker]>;
    // A separate connection, because the app's would hang up.
    const agent = new Agent({ rejectUnauthorized: false });
    const read = sendRequest(agent, app.port, '/listProducts', { adminSecret: ADMIN_SECRET }, {});
    const [reader] = await starting;
    const ended = once(reader, 'exit');
    await app.stop();
    assert.equal((await read).status, 200);
    await ended;
    agent.destroy();
    assert.equal(started.length, 2);
  });

  it('reads no other file than the one that the service has open, and makes none in its place', async (test) => {
    const shared = await freshDatabase('sqlite');
    assert.ok(shared.database.engine === 'sqlite');
    const { file } = shared.database;
    const app = await startApp('sqlite', { LATCHKEY_LOG_LEVEL: 'fatal' }, shared, OWN_THREADS);
    test.after(async () => {
      await app.stop();
      await shared.remove();
    });
    renameSync(file, `${file}.aside`);
    const { status, headers } = await app.admin('/listProducts');
    assert.deepEqual([status, headers['retry-after']], [503, '5']);
    assert.equal(existsSync(file), false);
    renameSync(`${file}.aside`, file);
    assert.equal((await app.admin('/listProducts')).status, 200);
  });
});

/** Calls that may wait for a start in these tests. */
const MAX_WAITING = 10;

const callNumber = (number: number): Call => ({
  path: '/listProducts',
  credential: { kind: 'admin' },
  read: { fields: { number } },
  requestContext: requestContextAt(0),
  idempotency: null,
});

/** A dispatcher whose starts end on command, and a record of its calls. */
class Slow {
  readonly starts: PromiseWithResolvers<Dispatcher>[] = [];
  /** The numbers of the calls that reached it, in their order. */
  readonly reached: unknown[] = [];
  isClosed = false;
  readonly tested = startWhenCalled(() => {
    const start = Promise.withResolvers<Dispatcher>();
    this.starts.push(start);
    return start.promise;
  }, MAX_WAITING);

  ask(number: number): Promise<Outcome> {
    return new Promise((resolve) => this.tested.dispatch(callNumber(number), resolve));
  }

  /** Ends the pending start. */
  succeed(): void {
    this.starts.at(-1)!.resolve({
      dispatch: ({ read }, answer) => {
        this.reached.push('fields' in read ? read.fields.number : read);
        answer({ status: 200, body: '{}' });
      },
      close: async () => {
        this.isClosed = true;
      },
    });
  }
}

const upTo = (most: number) => Array.from({ length: most }, (_, number) => number);
const statuses = async (outcomes: readonly Promise<Outcome>[]) =>
  (await Promise.all(outcomes)).map(({ status }) => status);

describe('a dispatcher that starts when it is called', TIME_LIMIT, () => {
  it('starts once, and takes the calls that waited in their order and each once', async () => {
    const slow = new Slow();
    assert.equal(slow.starts.length, 0);
    const asked = upTo(MAX_WAITING).map((number) => slow.ask(number));
    assert.equal(slow.starts.length, 1);
    slow.succeed();
    assert.deepEqual(await statuses(asked), Array(MAX_WAITING).fill(200));
    await slow.ask(MAX_WAITING);
    assert.deepEqual(slow.reached, upTo(MAX_WAITING + 1));
    assert.equal(slow.starts.length, 1);
  });

  it('refuses with 503 and Retry-After what finds too many waiting for the start', async () => {
    const slow = new Slow();
    const asked = upTo(MAX_WAITING).map((number) => slow.ask(number));
    const { status, retryAfterSeconds, body } = await slow.ask(MAX_WAITING);
    assert.deepEqual([status, retryAfterSeconds, JSON.parse(String(body)).success], [503, 1, false]);
    slow.succeed();
    assert.deepEqual(await statuses(asked), Array(MAX_WAITING).fill(200));
  });

  it('answers waiting calls with the failure of a start, logs its reason, and tries again at the next call', async () => {
    const slow = new Slow();
    const asked = [slow.ask(0), slow.ask(1)];
    slow.starts[0]!.reject(new Error('no memory for a thread'));
    for (const { status, failure } of await Promise.all(asked)) {
      assert.equal(status, 500);
      assert.match(failure ?? '', /no memory for a thread/);
    }
    const again = slow.ask(2);
    assert.equal(slow.starts.length, 2);
    slow.succeed();
    assert.equal((await again).status, 200);
    assert.deepEqual(slow.reached, [2]);
  });

  it('answers 503 with Retry-After, and logs nothing, while its file is missing', async () => {
    const slow = new Slow();
    const asked = slow.ask(0);
    slow.starts[0]!.reject(new StorageAway('the file is gone'));
    const { status, retryAfterSeconds, failure } = await asked;
    assert.deepEqual([status, retryAfterSeconds, failure], [503, 5, undefined]);
  });

  it('answers waiting calls before it closes, closes its started parts, and starts nothing afterwards', async () => {
    const slow = new Slow();
    const asked = [slow.ask(0), slow.ask(1)];
    const closed = slow.tested.close();
    const late = slow.ask(2);
    slow.succeed();
    await closed;
    assert.deepEqual(await statuses(asked), [200, 200]);
    assert.equal((await late).status, 503);
    assert.equal(slow.isClosed, true);

    const unused = new Slow();
    await unused.tested.close();
    assert.equal((await unused.ask(0)).status, 503);
    assert.equal(unused.starts.length, 0);
  });

  it('closes after a start that failed', async () => {
    const slow = new Slow();
    const asked = slow.ask(0);
    const closed = slow.tested.close();
    slow.starts[0]!.reject(new Error('no memory for a thread'));
    await closed;
    assert.equal((await asked).status, 500);
  });
});
