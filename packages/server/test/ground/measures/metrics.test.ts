/** Metrics that a service reports to Prometheus, on both engines, through real sockets. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { EXPORTED_METRICS } from '../../../src/runtime/service/metrics.ts';
import { newestSchemaVersion } from '../../../src/storage/opening/open.ts';
import { startApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { ask, type ScrapedSample, scrape, scrapedValue, scrapeUntil } from './scrape.ts';

const machine = (licenseKey: string, machineFingerprint = 'machine') => ({
  licenseKey,
  machineFingerprint,
  hostname: 'host',
  productId: 'app',
});

for (const engine of engines)
  describe(`the metrics of a service on ${engine}`, { timeout: 60_000 }, () => {
    let samples: ScrapedSample[] = [];
    let licenseKey: string;
    const app = startedApp(engine, { LATCHKEY_METRICS_PORT: '0' });
    before(async () => {
      licenseKey = await app.license({ maxMachines: 1 });
      await app.send('/verify', { licenseKey, productId: 'app' });
      assert.equal((await app.send('/activate', machine(licenseKey))).status, 200);
      assert.equal((await app.send('/activate', machine(licenseKey, 'another'))).status, 403);
      await app.send('/verify', { licenseKey: 'UNKNO-WNKEY-UNKNO-WNKEY-UNKNO', productId: 'app' });
      for (const path of ['/wp-login.php', '/.env', `/${licenseKey}`]) await app.send(path, {});
      await app.send('/healthz', undefined, { method: 'GET' });
      await app.send('/listLicenses', {});
      await app.admin('/listLicenses');
      samples = await scrapeUntil(app, (each) => scrapedValue(each, 'latchkey_violations_total') === 1);
    });

    const counted = (endpoint: string, status: string, code: string) =>
      scrapedValue(samples, 'latchkey_requests_total', { endpoint, status, code });

    it('count answers by endpoint, status and code', () => {
      assert.equal(counted('/createLicense', '200', 'ok'), 1);
      assert.equal(counted('/verify', '200', 'ok'), 1);
      assert.equal(counted('/verify', '404', 'license_not_found'), 1);
      assert.equal(counted('/activate', '200', 'ok'), 1);
      assert.equal(counted('/activate', '403', 'machine_limit'), 1);
      assert.equal(counted('/listLicenses', '401', 'unauthorized'), 1);
      assert.equal(counted('/healthz', '200', 'ok'), 1);
    });

    it('have one label for all paths that lead nowhere', () => {
      assert.equal(counted('other', '404', 'not_found'), 3);
      assert.ok(!JSON.stringify(samples).includes(licenseKey));
      assert.ok(!JSON.stringify(samples).includes('wp-login'));
    });

    it('time answers by endpoint, in buckets that add up', () => {
      const of = (name: string, labels = {}) =>
        scrapedValue(samples, `latchkey_request_duration_seconds${name}`, { endpoint: '/activate', ...labels });
      assert.equal(of('_count'), 2);
      assert.equal(of('_bucket', { le: '+Inf' }), 2);
      const buckets = samples.filter(
        ({ name, labels }) => name === 'latchkey_request_duration_seconds_bucket' && labels.endpoint === '/activate',
      );
      const values = buckets.map(({ value }) => value);
      assert.deepEqual(
        values,
        [...values].sort((one, other) => one - other),
      );
      assert.ok(of('_sum')! > 0);
    });

    it('cover batches, commits and recorded changes', () => {
      assert.ok(scrapedValue(samples, 'latchkey_batch_calls_count', { batch: 'machine' })! >= 2);
      assert.ok(scrapedValue(samples, 'latchkey_batch_wait_seconds_count', { batch: 'license' })! >= 1);
      assert.ok(scrapedValue(samples, 'latchkey_commit_duration_seconds_count')! >= 2);
      if (engine === 'sqlite') assert.ok(scrapedValue(samples, 'latchkey_commit_transactions_sum')! >= 3);
      assert.equal(scrapedValue(samples, 'latchkey_changes_total', { type: 'license.created' }), 1);
      assert.equal(scrapedValue(samples, 'latchkey_changes_total', { type: 'activation.created' }), 1);
      assert.equal(scrapedValue(samples, 'latchkey_violations_total', { type: 'machine_limit' }), 1);
    });

    it('cover the queues of other work', () => {
      const queues = engine === 'sqlite' ? ['writer', 'reader'] : ['database'];
      for (const queue of queues) {
        assert.ok(scrapedValue(samples, 'latchkey_queue_wait_seconds_count', { queue })! >= 1);
        assert.equal(scrapedValue(samples, 'latchkey_queue_calls', { queue, state: 'waiting' }), 0);
        assert.equal(scrapedValue(samples, 'latchkey_shed_calls_total', { queue }), 0);
      }
    });

    it('cover parts of a single engine', () => {
      const has = (name: string, labels?: Readonly<Record<string, string>>) =>
        scrapedValue(samples, name, labels) !== undefined;
      assert.equal(has('latchkey_licenses_in_memory'), engine === 'sqlite');
      assert.equal(has('latchkey_database_connections', { state: 'idle' }), engine === 'postgres');
      assert.equal(has('latchkey_database_connection_wait_seconds_count'), engine === 'postgres');
      if (engine === 'postgres') assert.equal(scrapedValue(samples, 'latchkey_database_connections_limit'), 10);
      else assert.equal(scrapedValue(samples, 'latchkey_licenses_in_memory'), 0);
    });

    it('name the version of the service and of its tables, and the abilities of the database', async () => {
      assert.equal(scrapedValue(samples, 'latchkey_info', { engine, version: '1.0.0' }), 1);
      const asked = await scrapeUntil(app, (each) => scrapedValue(each, 'latchkey_schema_version') !== undefined);
      assert.equal(scrapedValue(asked, 'latchkey_schema_version'), newestSchemaVersion());
      assert.equal(scrapedValue(samples, 'latchkey_database_can', { what: 'read' }), 1);
      assert.equal(scrapedValue(samples, 'latchkey_database_can', { what: 'write' }), 1);
    });

    it('measure the event loop of each thread, the process, and the log', async () => {
      const threads = engine === 'sqlite' ? ['main', 'writer', 'reader'] : ['main'];
      const measured = await scrapeUntil(app, (each) =>
        threads.every((thread) => scrapedValue(each, 'latchkey_event_loop_delay_seconds_count', { thread })! > 0),
      );
      assert.ok(scrapedValue(measured, 'process_resident_memory_bytes')! > 10_000_000);
      assert.equal(scrapedValue(measured, 'latchkey_log_lines_lost_total'), 0);
    });

    it('say how many days the certificate has left, by the clock of the service', async () => {
      const before = scrapedValue(samples, 'latchkey_certificate_days_left')!;
      assert.ok(before > 725 && before < 730, `${before} days`);
      app.clock.move(100 * DAY_MS);
      const days = scrapedValue(await scrape(app), 'latchkey_certificate_days_left')!;
      app.clock.move(-100 * DAY_MS);
      assert.ok(Math.abs(before - 100 - days) < 0.1, `${before} and ${days}`);
    });

    it('have each sample once, each metric described before it, and no metric that is not listed', async () => {
      const { headers, text } = await ask(app.metricsPort!);
      assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      const names = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
      assert.deepEqual(names, [...new Set(names)]);
      const described = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
        ([, name = '', type]) => [name, type] as const,
      );
      const own = described.filter(([name]) => name.startsWith('latchkey_'));
      assert.ok(own.length > 15);
      for (const [name, type] of own)
        assert.equal(EXPORTED_METRICS.find((metric) => metric.name === name)?.type, type, name);
      for (const { name } of samples) {
        const metric = name.replace(/_(bucket|sum|count)$/, '');
        assert.ok(
          described.some(([each]) => each === name || each === metric),
          name,
        );
      }
    });
  });

describe('the port of the metrics', { timeout: 60_000 }, () => {
  it('is closed unless it is configured', async () => {
    const app = await startApp('sqlite');
    try {
      assert.equal(app.metricsPort, null);
    } finally {
      await app.stop();
    }
  });

  it('answers GET /metrics and nothing else, and the service answers no /metrics', async () => {
    const app = await startApp('sqlite', { LATCHKEY_METRICS_PORT: '0' });
    try {
      const statusOf = async (options: Parameters<typeof ask>[1]) => (await ask(app.metricsPort!, options)).status;
      assert.equal(await statusOf({ path: '/metrics?a=b' }), 200);
      for (const path of ['/', '/verify', '/metrics/', '/docs']) assert.equal(await statusOf({ path }), 404, path);
      for (const method of ['POST', 'PUT', 'DELETE']) assert.equal(await statusOf({ method }), 405, method);
      assert.equal((await app.send('/metrics', undefined, { method: 'GET' })).status, 404);
    } finally {
      await app.stop();
    }
  });
});
