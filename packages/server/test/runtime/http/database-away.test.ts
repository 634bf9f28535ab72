/** While the database is unavailable callers get 503, and the log has one line at the beginning and one at the end. */
import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ADMIN_SECRET, type Answer, startApp, type TestApp } from '../../support/app.ts';
import { startAppOnLine } from '../../support/app-on-line.ts';
import { BrokenLine } from '../../support/broken-line.ts';
import { freshDatabase } from '../../support/databases.ts';
import { LockHolder } from '../../support/lock-holder.ts';
import { Machine } from '../../support/machine.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import type { TestDatabase } from '../../support/test-database.ts';

const ORDER = { email: 'ada@example.com', productId: 'app' };

/** Fails unless a call was answered 503 because of the database; answers its Retry-After. */
function retryAfter({ status, headers, body }: Answer): string | string[] | undefined {
  assert.deepEqual([status, body.error], [503, 'The database cannot be reached. Try again shortly.']);
  return headers['retry-after'];
}

const readiness = async (app: Pick<TestApp, 'send'>) => {
  const { status, body } = await app.send('/readyz', undefined, { method: 'GET' });
  return [status, body.writes];
};

/** Asks until /readyz answers as expected; the time limit of the test ends it otherwise. */
async function becomesReady(app: Pick<TestApp, 'send'>, expected: readonly unknown[]): Promise<void> {
  while (String(await readiness(app)) !== String(expected));
}

/** Waits until a line is in the log of a service; lines come through a pipe. */
async function untilLogged(isThere: () => boolean): Promise<void> {
  while (!isThere()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a PostgreSQL that cannot be reached', () => {
  let app: TestApp;
  let line: BrokenLine;
  let stop: () => Promise<void>;
  before(async () => {
    ({ app, line, stop } = await startAppOnLine({ readProbeKeptMs: 1 }));
  });
  after(() => stop());

  it('is answered 503 with Retry-After by every kind of endpoint, and served again when it is back', async () => {
    const machine = await new Machine(app, await app.license()).activated();
    const calls = () => [
      app.send('/verify', { licenseKey: machine.licenseKey, productId: 'app' }),
      machine.validate(),
      machine.heartbeat(),
      app.admin('/createLicense', ORDER),
      app.admin('/getLicense', { licenseKey: machine.licenseKey }),
      app.webhook('/storefrontWebhook', { type: 'purchase.completed', ...ORDER, purchaseId: 'order-1' }),
    ];
    line.cut();
    for (const answer of await Promise.all(calls())) assert.equal(retryAfter(answer), '5');
    assert.deepEqual(await readiness(app), [503, undefined]);
    line.mend();
    await becomesReady(app, [200, true]);
    for (const answer of await Promise.all(calls())) assert.equal(answer.status, 200);
  });

  it('is answered 503 without Retry-After when it went during COMMIT', async () => {
    line.cutBehind('transaction.commit');
    assert.equal(retryAfter(await app.admin('/createLicense', ORDER)), undefined);
  });

  it('does nothing again of calls that were committed together, when it went during COMMIT', async () => {
    const licenseKey = await app.license({ maxMachines: -1 });
    const machines = Array.from({ length: 5 }, (_, index) => new Machine(app, licenseKey, `machine-${index}`));
    line.cutBehind('transaction.commit');
    const answers = await Promise.all(machines.map((machine) => machine.activate()));
    const lost = answers.filter(({ status }) => status === 503);
    assert.ok(lost.length > 0);
    for (const answer of lost) assert.equal(retryAfter(answer), undefined);
  });
});

describe('the log of a service whose PostgreSQL goes away', () => {
  let shared: TestDatabase;
  let line: BrokenLine;
  let service: ServerProcess;
  before(async () => {
    shared = await freshDatabase('postgres');
    line = await BrokenLine.to((shared.database as { url: string }).url);
    service = await startServerProcess({ engine: 'postgres', url: line.url });
  });
  after(async () => {
    await service.stop();
    await line.close();
    await shared.remove();
  });

  const create = (headers?: Record<string, string>) =>
    service.send('/createLicense', { adminSecret: ADMIN_SECRET, ...ORDER }, headers && { headers });
  const events = (name: string) => service.log.filter(({ event }) => event === name);

  it('has one line when it goes and one when it is back, and no stack', async () => {
    await create();
    line.cut();
    for (const answer of await Promise.all(Array.from({ length: 30 }, () => create()))) retryAfter(answer);
    line.mend();
    await becomesReady(service, [200, true]);
    assert.equal((await create()).status, 200);
    await untilLogged(() => events('database.back').length > 0 && events('request.failed').length >= 30);
    const [away, ...more] = events('database.away');
    assert.equal(away?.serves, 'nothing');
    assert.match(String(away?.reason), /./);
    assert.deepEqual([more.length, events('database.back').length], [0, 1]);
    const failed = events('request.failed');
    assert.equal(failed.length, 30);
    for (const { failure, code } of failed) assert.deepEqual([failure, code], [undefined, 'database_away']);
  });

  it('names the request of which it is unknown whether it was kept', async () => {
    await create();
    line.cutBehind('transaction.commit');
    assert.equal(retryAfter(await create({ 'x-request-id': 'lost-in-commit' })), undefined);
    assert.equal((await create()).status, 200);
    const lines = () => service.log.filter(({ callerRequestId }) => callerRequestId === 'lost-in-commit');
    await untilLogged(() => lines().length > 0);
    const [said] = lines();
    assert.match(String(said?.failure), /^the connection was lost during COMMIT: it is unknown whether/);
    assert.ok(!String(said?.failure).includes('\n'), 'a stack');
  });
});

describe('a SQLite file that another process keeps locked', () => {
  it('is answered 503 with Retry-After by what writes, while /verify goes on, until it is free', async (test) => {
    const app = await startApp('sqlite', { LATCHKEY_LOG_LEVEL: 'fatal' }, undefined, { lockTimeoutMs: 50 });
    test.after(() => app.stop());
    const machine = await new Machine(app, await app.license()).activated();
    const holder = await LockHolder.of((app.database as { file: string }).file);
    for (const call of [() => machine.validate(), () => machine.activate(), () => app.admin('/createLicense', ORDER)])
      assert.equal(retryAfter(await call()), '5');
    const { licenseKey } = machine;
    assert.equal((await app.send('/verify', { licenseKey, productId: 'app' })).status, 200);
    assert.deepEqual(await readiness(app), [200, false]);
    await holder.release();
    assert.equal((await machine.validate()).status, 200);
    await app.license();
    assert.deepEqual(await readiness(app), [200, true]);
  });

  it('is said once, and once that it is back', async (test) => {
    const shared = await freshDatabase('sqlite');
    assert.ok(shared.database.engine === 'sqlite');
    const { file } = shared.database;
    const directory = dirname(file);
    const service = await startServerProcess(shared.database, { LATCHKEY_DATA_DIR: directory });
    test.after(async () => {
      await service.stop();
      await shared.remove();
    });
    const create = () => service.send('/createLicense', { adminSecret: ADMIN_SECRET, ...ORDER });
    assert.equal((await create()).status, 200);
    const holder = await LockHolder.of(file);
    for (const answer of await Promise.all([create(), create(), create()])) retryAfter(answer);
    retryAfter(await create());
    await holder.release();
    assert.equal((await create()).status, 200);
    const said = () => service.log.filter(({ event }) => String(event).startsWith('database.'));
    await untilLogged(() => said().length > 1);
    assert.deepEqual(
      said().map(({ event, serves }) => [event, serves]),
      [
        ['database.away', 'reads'],
        ['database.back', undefined],
      ],
    );
  });

  it('keeps a service from starting, which says why', async (test) => {
    const shared = await freshDatabase('sqlite', test);
    assert.ok(shared.database.engine === 'sqlite');
    const { file } = shared.database;
    const holder = await LockHolder.of(file);
    const starting = startServerProcess(shared.database, { LATCHKEY_DATA_DIR: dirname(file) });
    await assert.rejects(starting, /Latchkey cannot start: .*database is locked/);
    await holder.release();
  });
});

describe('a SQLite file that is gone', { skip: process.platform === 'win32' && 'Windows keeps it' }, () => {
  it('makes the service say that it is not ready by itself, and acknowledge nothing, while /verify goes on', async (test) => {
    const app = await startApp('sqlite', { LATCHKEY_LOG_LEVEL: 'fatal' }, undefined, { writeProbeIntervalMs: 20 });
    test.after(() => app.stop());
    const { file } = app.database as { file: string };
    const licenseKey = await app.license();
    assert.deepEqual(await readiness(app), [200, true]);
    await rename(file, `${file}.aside`);
    await becomesReady(app, [503, undefined]);
    for (const answer of await Promise.all(Array.from({ length: 20 }, () => app.admin('/createLicense', ORDER))))
      assert.equal(answer.status, 503);
    assert.equal((await app.send('/verify', { licenseKey, productId: 'app' })).status, 200);
    await rename(`${file}.aside`, file);
    assert.equal((await app.admin('/createLicense', ORDER)).status, 503, 'only a start anew makes it trust the file');
  });

  it('refuses the very next write, before anything has noticed', async (test) => {
    const app = await startApp('sqlite', { LATCHKEY_LOG_LEVEL: 'fatal' });
    test.after(() => app.stop());
    const { file } = app.database as { file: string };
    await app.license();
    await rename(file, `${file}.aside`);
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.admin('/createLicense', ORDER)));
    for (const answer of answers) retryAfter(answer);
    assert.equal(retryAfter(answers[0]!), undefined, 'it may have been kept');
    assert.deepEqual(await readiness(app), [503, undefined]);
  });
});
