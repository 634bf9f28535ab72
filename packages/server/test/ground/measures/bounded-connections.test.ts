/** Metrics of connections that were closed because a bound was reached, and of unread bytes. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { requestBytes, Wire } from '../../runtime/http/wire.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { scrape, scrapedValue, scrapeUntil } from './scrape.ts';

const GET = requestBytes('/healthz', '', { method: 'GET' });
const REASONS = ['unread', 'network', 'connections'];

async function start(test: TestContext, environment: Readonly<Record<string, string>>): Promise<TestApp> {
  const app = await startApp('sqlite', { LATCHKEY_METRICS_PORT: '0', LATCHKEY_LOG_LEVEL: 'fatal', ...environment });
  test.after(() => app.stop());
  return app;
}

/** A connection whose request has been answered, so that it may make room for another. */
async function idle(app: TestApp): Promise<Wire> {
  const wire = await Wire.open(app.port);
  wire.write(GET);
  assert.equal((await wire.answer()).status, 200);
  return wire;
}

async function closed(app: TestApp): Promise<(number | undefined)[]> {
  const samples = await scrape(app);
  return REASONS.map((reason) => scrapedValue(samples, 'latchkey_closed_connections_total', { reason }));
}

describe('the metrics of bounded connections', { timeout: 120_000 }, () => {
  it('count those that made room for others of their network', async (test) => {
    const app = await start(test, { LATCHKEY_NETWORK_CONNECTIONS: '2' });
    assert.deepEqual(await closed(app), [0, 0, 0]);
    const wires = [await idle(app), await idle(app), await idle(app)];
    await Promise.race(wires.map((wire) => wire.closed));
    assert.deepEqual(await closed(app), [0, 1, 0]);
    for (const wire of wires) wire.end();
  });

  it('count those that made room because there were too many in all, and say how many are open', async (test) => {
    const app = await start(test, { LATCHKEY_CONNECTIONS: '2', LATCHKEY_NETWORK_CONNECTIONS: 'off' });
    const wires = [await idle(app), await idle(app)];
    await scrapeUntil(app, (samples) => scrapedValue(samples, 'latchkey_connections') === 2);
    assert.equal(scrapedValue(await scrape(app), 'latchkey_connections_limit'), 2);
    wires.push(await idle(app));
    await Promise.race(wires.map((wire) => wire.closed));
    assert.deepEqual(await closed(app), [0, 0, 1]);
    for (const wire of wires) wire.end();
    await scrapeUntil(app, (samples) => scrapedValue(samples, 'latchkey_connections') === 0);
  });

  it('count readers that were cut, and say how much is unread and how much may be', async (test) => {
    const app = await start(test, { LATCHKEY_UNSENT_BYTES: '4M' });
    const limit = 4 * 1024 ** 2;
    assert.equal(scrapedValue(await scrape(app), 'latchkey_unsent_bytes_limit'), limit);
    // The requests of a connection fit into one TLS record and into half of the limit; all but the first wait.
    const document = 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n';
    const documents = Buffer.from(document.repeat(Math.floor(8_000 / document.length)));
    const wires: Wire[] = [];
    while ((await closed(app))[0] === 0) {
      const wire = await Wire.open(app.port);
      wire.pause();
      wire.write(documents);
      wires.push(wire);
    }
    const unsent = scrapedValue(await scrape(app), 'latchkey_unsent_bytes')!;
    assert.ok(unsent > 0 && unsent <= limit / 2, `${unsent} bytes`);
    assert.deepEqual((await closed(app)).slice(1), [0, 0]);
    for (const wire of wires) wire.end();
    while (scrapedValue(await scrape(app), 'latchkey_unsent_bytes') !== 0) await turn();
  });
});
