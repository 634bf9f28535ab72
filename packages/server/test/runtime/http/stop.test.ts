/** The stop of the service: requests in progress are finished first. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { requestBytes, Wire } from './wire.ts';

for (const engine of engines)
  describe(`stopping on ${engine}`, () => {
    it('finishes a request under way, then closes its connection', async () => {
      const app = await startApp(engine);
      const licenseKey = await app.license();
      const request = requestBytes('/verify', JSON.stringify({ licenseKey, productId: 'app' }));
      const wire = await Wire.open(app.port);
      wire.write(request.subarray(0, -10));
      // A reply on another connection means that the first bytes of this one have arrived, too.
      await app.send('/healthz', undefined, { method: 'GET' });
      const stopped = app.stop();
      await assert.rejects(Wire.open(app.port), { code: 'ECONNREFUSED' });
      wire.write(request.subarray(-10));
      const answer = await wire.answer();
      assert.equal(answer.status, 200);
      assert.equal(answer.body.valid, true);
      await wire.closed;
      await stopped;
    });

    it('answers on new connections while it drains, and says that it is not ready', async () => {
      const app = await startApp(engine, { LATCHKEY_DRAIN_TIME: '1s' });
      const licenseKey = await app.license();
      const isReady = async () => (await app.send('/readyz', undefined, { method: 'GET' })).status;
      assert.equal(await isReady(), 200);
      const stopped = app.stop();
      const wire = await Wire.open(app.port);
      wire.write(requestBytes('/readyz', '', { method: 'GET' }));
      assert.equal((await wire.answer()).status, 503);
      wire.write(requestBytes('/verify', JSON.stringify({ licenseKey, productId: 'app' })));
      assert.equal((await wire.answer()).body.valid, true);
      await Promise.all([stopped, wire.closed]);
      await assert.rejects(Wire.open(app.port), { code: 'ECONNREFUSED' });
    });

    it('ends connections that wait for nothing', async () => {
      const app = await startApp(engine);
      const wire = await Wire.open(app.port);
      wire.write(requestBytes('/healthz', '', { method: 'GET' }));
      await wire.answer();
      await Promise.all([app.stop(), wire.closed]);
    });
  });

describe('a SQLite database whose service has stopped', () => {
  it('is one file again, which may be copied', async (test) => {
    const fresh = await freshDatabase('sqlite', test);
    assert.ok(fresh.database.engine === 'sqlite');
    const app = await startApp('sqlite', {}, fresh);
    const licenseKey = await app.license();
    await app.send('/verify', { licenseKey, productId: 'app' });
    await app.stop();
    assert.deepEqual((await readdir(dirname(fresh.database.file))).sort(), ['latchkey.db', 'latchkey.db-server']);
  });
});

/** Preloaded into the process: the monotonic clock stands still until SIGUSR2 moves it, by 499 ms and then by 1 ms. */
const STEPPED_CLOCK = `data:text/javascript,${encodeURIComponent(`
  let moment = 0;
  const steps = [499, 1];
  performance.now = () => moment;
  process.on('SIGUSR2', () => {
    moment += steps.shift();
    console.log('{"event":"test.moved"}');
  });
`)}`;

it('a second signal counts as the first for half a second, and after that ends the service at once with status 1', {
  timeout: 60_000,
}, async (test) => {
  const { database } = await freshDatabase('sqlite', test);
  assert.ok(database.engine === 'sqlite');
  const service = await startServerProcess(database, {
    LATCHKEY_DATA_DIR: dirname(database.file),
    LATCHKEY_DRAIN_TIME: '10m',
    NODE_OPTIONS: `--import=${STEPPED_CLOCK}`,
  });
  test.after(() => service.kill());
  let hasEnded = false;
  void service.ended.then(() => {
    hasEnded = true;
  });
  const logged = async (event: string, count: number) => {
    for (; service.log.filter((line) => line.event === event).length < count; await wait(20))
      assert.equal(hasEnded, false, 'the service ends before its time');
  };
  process.kill(service.pid, 'SIGINT');
  await logged('service.stopping', 1);
  for (const count of [1, 2]) {
    process.kill(service.pid, 'SIGUSR2');
    await logged('test.moved', count);
    process.kill(service.pid, 'SIGINT');
  }
  assert.equal(await service.ended, 1);
});
