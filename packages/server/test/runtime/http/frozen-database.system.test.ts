/**
 * A PostgreSQL that is frozen, or whose host vanished without closing connections: no caller waits for long, and
 * nothing is lost.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { WATCH_BOUNDS } from '../../../src/storage/postgres/postgres-watch.ts';
import { ADMIN_SECRET, type Answer, startApp, type TestApp } from '../../support/app.ts';
import { startAppOnLine } from '../../support/app-on-line.ts';
import type { BrokenLine } from '../../support/broken-line.ts';
import { freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { startServerProcess } from '../../support/server-process.ts';

const ORDER = { email: 'ada@example.com', productId: 'app' };
const OVERLOADED = 'The service is overloaded. Try again shortly.';
const SILENT = /^PostgreSQL has answered nothing for /;

const isAway = ({ status, body }: Answer) =>
  assert.deepEqual([status, body.error], [503, 'The database cannot be reached. Try again shortly.']);

/** Sends probes until the database is back. */
async function untilBack(app: Pick<TestApp, 'send'>): Promise<void> {
  while ((await app.send('/readyz', undefined, { method: 'GET' })).status !== 200);
}

describe('a frozen PostgreSQL', () => {
  let app: TestApp;
  let line: BrokenLine;
  let stop: () => Promise<void>;
  before(async () => {
    // The time limit of the driver would end the wait of each call, too, but after twenty seconds.
    ({ app, line, stop } = await startAppOnLine({ readProbeKeptMs: 1 }, '?query_timeout=600000'));
  });
  after(() => stop());

  const licenses = async () => (await app.admin('/listLicenses', { limit: 100 })).body.licenses as unknown[];

  it('is answered 503 by every kind of endpoint, those that wait and those that come, and served again when it goes on', async () => {
    const machine = await new Machine(app, await app.license()).activated();
    const calls = () => [
      app.send('/verify', { licenseKey: machine.licenseKey, productId: 'app' }),
      machine.validate(),
      machine.activate(),
      machine.heartbeat(),
      app.admin('/createLicense', ORDER),
      app.admin('/getLicense', { licenseKey: machine.licenseKey }),
    ];
    const before = (await licenses()).length;
    line.silence();
    for (let round = 0; round < 3; round += 1)
      for (const answer of await Promise.all(calls())) {
        isAway(answer);
        assert.equal(answer.headers['retry-after'], '5');
      }
    line.mend();
    await untilBack(app);
    assert.equal((await licenses()).length, before);
    for (const answer of await Promise.all(calls())) assert.equal(answer.status, 200);
  });

  it('leaves the outcome unknown after a freeze during COMMIT, and an Idempotency-Key makes the retry safe', async () => {
    const before = (await licenses()).length;
    const create = () => app.admin('/createLicense', ORDER, { headers: { 'idempotency-key': 'frozen-in-commit' } });
    line.silenceBehind('transaction.commit');
    const lost = await create();
    isAway(lost);
    assert.equal(lost.headers['retry-after'], undefined);
    line.mend();
    await untilBack(app);
    assert.equal((await create()).status, 200);
    assert.equal((await licenses()).length, before + 1);
  });

  it('has no more connections afterwards than the pool may have', async () => {
    line.silence();
    isAway(await app.admin('/createLicense', ORDER));
    line.mend();
    await untilBack(app);
    // The pool opens its maximum; some of the calls may be refused because recent calls took long.
    await Promise.all(Array.from({ length: 50 }, () => app.admin('/createLicense', ORDER)));
    assert.ok(line.connections <= 11, `${line.connections} connections`);
  });
});

describe('calls that wait for a PostgreSQL that is silent', () => {
  it('have a maximum number; further ones are answered 503 at once', async (test) => {
    // It is silent at the first look that finds it so, and never away.
    const watchBounds = { ...WATCH_BOUNDS, lookIntervalMs: 1, looksUntilAsked: 1, looksUntilAway: 1e9 };
    const { app, line, stop } = await startAppOnLine({ watchBounds, maxCallsInSilence: 3 });
    test.after(stop);
    const licenseKey = await app.license();
    const verify = () => app.send('/verify', { licenseKey, productId: 'app' });
    line.silence();
    // Calls before the first look wait, too, in any number.
    const answered: number[] = [];
    const calls: Promise<Answer>[] = [];
    while (answered.length === 0) {
      const call = verify();
      calls.push(call);
      void call.then(({ status }) => answered.push(status));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.ok(calls.length > 3);
    line.mend();
    const answers = await Promise.all(calls);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 503]));
    for (const { status, body } of answers)
      if (status === 503) assert.equal(body.error, 'The service is overloaded. Try again shortly.');
  });
});

describe('a PostgreSQL that answers others', () => {
  it('is not away because calls wait for a license that somebody keeps locked, or for a slow statement', async (test) => {
    const shared = await freshDatabase('postgres');
    const { url } = shared.database as { url: string };
    // The calls are silent for three times as long as it takes to be away, and all connections of the pool wait.
    const watchBounds = { ...WATCH_BOUNDS, lookIntervalMs: 10, looksUntilAsked: 2, looksUntilAway: 100 };
    const settings = { LATCHKEY_POSTGRES_POOL: '2', LATCHKEY_POSTGRES_RESERVED: 'off', LATCHKEY_LOG_LEVEL: 'fatal' };
    const app = await startApp('postgres', settings, shared, { watchBounds });
    const holder = new pg.Client(url);
    await holder.connect();
    test.after(async () => {
      await holder.end();
      await app.stop();
      await shared.remove();
    });
    const licenseKey = await app.license();
    await holder.query('begin');
    await holder.query('select 1 from license where license_key = $1 for update', [licenseKey]);
    const waiting = Array.from({ length: 4 }, (_, index) =>
      new Machine(app, licenseKey, `machine-${index}`).activate(),
    );
    await holder.query('select pg_sleep(3)');
    await holder.query('rollback');
    for (const answer of await Promise.all(waiting)) assert.notEqual(answer.status, 503);
  });
});

describe('a PostgreSQL of which every process is stopped by a signal', { skip: process.platform === 'win32' }, () => {
  it('costs few open calls and no change that was acknowledged; the service is back with it', async (test) => {
    const server = await startPostgres();
    const service = await startServerProcess({ engine: 'postgres', url: server.url });
    test.after(async () => {
      server.thaw();
      await service.stop();
      await server.stop();
    });
    const create = () => service.send('/createLicense', { adminSecret: ADMIN_SECRET, ...ORDER });
    // A busy machine refuses some of them at first.
    const issue = async (): Promise<string> => (await create()).body.licenseKey ?? issue();
    const issued = await Promise.all(Array.from({ length: 20 }, issue));
    server.freeze();
    const answers = Promise.all(Array.from({ length: 60 }, create));
    // A machine whose calls took long before refuses some of them at once, because they would wait too long.
    for (const answer of await answers)
      if (answer.body.error === OVERLOADED) assert.equal(answer.status, 503);
      else isAway(answer);
    isAway(await create());
    server.thaw();
    await untilBack(service);
    const listed = await service.send('/listLicenses', { adminSecret: ADMIN_SECRET, limit: 100 });
    const keys = listed.body.licenses.map(({ key }: { key: string }) => key);
    assert.deepEqual(keys.toSorted(), issued.toSorted());
    const said = service.log.filter(({ event }) => String(event).startsWith('database.'));
    assert.deepEqual(
      said.map(({ event, serves }) => [event, serves]),
      [
        ['database.away', 'nothing'],
        ['database.back', undefined],
      ],
    );
    assert.match(String(said[0]?.reason), SILENT);
  });

  it('does not keep the service from ending', async (test) => {
    const server = await startPostgres();
    const service = await startServerProcess({ engine: 'postgres', url: server.url });
    test.after(async () => {
      server.thaw();
      await server.stop();
    });
    server.freeze();
    assert.equal(await service.stop(), 0);
  });
});
