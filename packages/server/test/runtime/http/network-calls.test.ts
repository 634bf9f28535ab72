/**
 * The limit of calls in progress from one network, which excludes the client endpoints; a call counts until it ends.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { PUBLIC_URL, SELF_SERVICE } from '../../customers/self-service/shop.ts';
import { ADMIN_SECRET, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { atOnce, type ProxiedAnswer, sendFrom, startBehindProxy, statusCounts } from '../../support/behind-proxy.ts';
import { type Engine, engines, freshDatabase } from '../../support/databases.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { requestBytes, Wire } from './wire.ts';

const LIMIT = 4;
const BUSY = { success: false, error: 'Too many calls from your network are under way. Try again shortly.' };
const TRIAL = { code: 'unknown', productId: 'app', email: 'ada@example.com' };

/**
 * Locks the rows that redemptions write, so that calls stay pending for as long as the test needs; returns a function
 * that releases them.
 */
async function holdRedemptions({ database }: TestDatabase): Promise<() => Promise<void>> {
  if (database.engine === 'sqlite') {
    const file = openSqliteFile(database.file);
    file.exec('begin immediate');
    return async () => {
      file.exec('rollback');
      file.close();
    };
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin; lock table rate in access exclusive mode');
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

async function startLimited(
  engine: Engine,
  test: { after(stop: () => Promise<void>): void },
  limit = String(LIMIT),
  environment: Readonly<Record<string, string>> = {},
) {
  const database = await freshDatabase(engine);
  const app = await startBehindProxy(engine, { ...environment, LATCHKEY_NETWORK_CALLS: limit }, database);
  test.after(async () => {
    await app.stop();
    await database.remove();
  });
  return { app, database };
}

const guess = (app: TestApp, address: string | null) => sendFrom(app, address, '/redeemTrialCode', TRIAL);

/** Waits until this many of the calls have a reply; the others stay pending. */
async function firstAnswers(calls: readonly Promise<ProxiedAnswer>[], count: number): Promise<ProxiedAnswer[]> {
  const answered: ProxiedAnswer[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const call of calls)
      call.then((answer) => {
        answered.push(answer);
        if (answered.length === count) resolve();
      }, reject);
  });
  return answered;
}

for (const engine of engines)
  describe(`calls of one network under way on ${engine}`, () => {
    it('503 with Retry-After beyond the limit, while client endpoints, secrets and other networks go on', async (test) => {
      const { app, database } = await startLimited(engine, test);
      const admin = { adminSecret: ADMIN_SECRET };
      const { licenseKey } = (await sendFrom(app, null, '/createLicense', { ...admin, ...TRIAL })).body;
      const { apiKey } = (await sendFrom(app, null, '/createApiKey', { ...admin, creatorId: 'c', name: 'k' })).body;
      const letGo = await holdRedemptions(database);
      const calls = Array.from({ length: 20 }, () => guess(app, '203.0.113.1'));
      for (const busy of await firstAnswers(calls, 20 - LIMIT))
        assert.deepEqual(busy, { status: 503, retryAfter: 1, body: BUSY });
      // Reads, which nothing blocks here.
      const from = '203.0.113.1';
      assert.equal((await sendFrom(app, from, '/listLicenses', { apiKey })).status, 503, 'an API key is counted');
      assert.equal((await sendFrom(app, from, '/listLicenses', { ...admin })).status, 200);
      assert.equal((await sendFrom(app, from, '/listLicenses', { ...admin, apiKey })).status, 200);
      const webhook = { 'x-webhook-secret': WEBHOOK_SECRET };
      assert.equal((await sendFrom(app, from, '/listStudioOrders', { creatorId: 'c' }, webhook)).status, 200);
      assert.equal((await sendFrom(app, from, '/verify', { licenseKey, productId: 'app' })).status, 200);
      assert.equal((await sendFrom(app, from, '/listLicenses', {})).status, 401, 'no credential');
      assert.equal((await sendFrom(app, '203.0.113.2', '/listLicenses', { apiKey })).status, 200);
      await letGo();
      const counts = statusCounts(await Promise.all(calls));
      assert.deepEqual(counts, { 404: LIMIT, 503: 20 - LIMIT });
      for (let round = 0; round < 3; round++)
        assert.deepEqual(statusCounts(await atOnce(LIMIT, () => guess(app, from))), { 404: LIMIT }, 'all have left');
    });

    it('counts a /64 as one network, and a /48 with sixteen times as many', async (test) => {
      const { app, database } = await startLimited(engine, test, '1');
      const letGo = await holdRedemptions(database);
      const calls = Array.from({ length: 20 }, (_, at) => guess(app, `2001:db8:1:${at}::1`));
      assert.deepEqual(statusCounts(await firstAnswers(calls, 4)), { 503: 4 });
      assert.equal((await guess(app, '2001:db8:1:0:ffff::9')).status, 503);
      await letGo();
      assert.deepEqual(statusCounts(await Promise.all(calls)), { 404: 16, 503: 4 });
    });

    it('does not count where nobody knows the address, and the proxy never', async (test) => {
      const { app } = await startLimited(engine, test, '1');
      for (const address of [null, 'unknown', '127.0.0.1'])
        assert.deepEqual(statusCounts(await atOnce(20, () => guess(app, address))), { 404: 20 });
    });

    it('counts nobody where the limit is off', async (test) => {
      const { app, database } = await startLimited(engine, test, 'off');
      const letGo = await holdRedemptions(database);
      // More than the default, each on a separate connection.
      const calls = Array.from({ length: 80 }, () => guess(app, '203.0.113.1'));
      assert.equal((await sendFrom(app, '203.0.113.1', '/listLicenses', {})).status, 401);
      await letGo();
      const { 404: guessed = 0, 429: slowed = 0 } = statusCounts(await Promise.all(calls));
      assert.equal(guessed + slowed, 80);
    });

    it('counts a document or a list until its answer has been taken, and lets others in when its reader has gone', async (test) => {
      const { app } = await startLimited(engine, test);
      const forwarded = ['X-Forwarded-Proto: https', 'X-Forwarded-For: 203.0.113.1'];
      const get = (path: string) => requestBytes(path, '', { method: 'GET', headers: forwarded });
      const statusOf = async (path: string) => (await Wire.exchange(app.port, get(path), { tls: false })).status;
      const { apiKey } = (
        await sendFrom(app, null, '/createApiKey', { adminSecret: ADMIN_SECRET, creatorId: 'c', name: 'k' })
      ).body;
      const list = () => sendFrom(app, '203.0.113.1', '/listLicenses', { apiKey });
      const readers = [];
      for (let count = 0; count < LIMIT; count += 1) {
        const wire = await Wire.open(app.port, { tls: false });
        wire.pause();
        // More than the system buffers of replies that nobody reads.
        wire.write(Buffer.concat(Array.from({ length: 60 }, () => get('/docs'))));
        readers.push(wire);
      }
      while ((await statusOf('/docs')) !== 503);
      while ((await list()).status !== 503);
      // The probes of a load balancer, the public paths of apps, and another network.
      for (const path of ['/healthz', '/.well-known/jwks.json']) assert.equal(await statusOf(path), 200);
      assert.equal((await sendFrom(app, '203.0.113.2', '/listLicenses', { apiKey })).status, 200);
      for (const wire of readers) wire.end();
      while ((await statusOf('/docs')) !== 200);
      while ((await list()).status !== 200);
    });

    it('counts a form of a page when it has arrived, so that slow ones shut nobody out', async (test) => {
      const { app } = await startLimited(engine, test, String(LIMIT), SELF_SERVICE);
      const forwarded = ['X-Forwarded-Proto: https', 'X-Forwarded-For: 203.0.113.1'];
      const body = 'email=ada%40example.com';
      const head = [
        ...['POST /my HTTP/1.1', 'Host: localhost', `Origin: ${PUBLIC_URL}`, ...forwarded],
        ...['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`],
      ];
      const form = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
      const slow = [];
      for (let count = 0; count < 3 * LIMIT; count += 1) {
        const wire = await Wire.open(app.port, { tls: false });
        wire.write(form.subarray(0, -1));
        slow.push(wire);
      }
      const get = (path: string) => requestBytes(path, '', { method: 'GET', headers: forwarded });
      const statusOf = async (path: string) => (await Wire.exchange(app.port, get(path), { tls: false })).status;
      for (let count = 0; count < LIMIT; count += 1)
        for (const path of ['/my', '/docs']) assert.equal(await statusOf(path), 200, path);
      for (const wire of slow) {
        wire.write(form.subarray(-1));
        assert.equal((await wire.answer()).status, 303);
        wire.end();
      }
    });

    it('has left when its answer is there, also when nobody waits for it', async (test) => {
      const { app, database } = await startLimited(engine, test);
      const letGo = await holdRedemptions(database);
      const gone = new AbortController();
      const calls = Array.from({ length: LIMIT }, () =>
        fetch(`http://127.0.0.1:${app.port}/redeemTrialCode`, {
          method: 'POST',
          headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.1' },
          body: JSON.stringify(TRIAL),
          signal: gone.signal,
        }).catch(() => null),
      );
      while ((await guess(app, '203.0.113.1')).status !== 503);
      gone.abort();
      await Promise.all(calls);
      await letGo();
      let status = 503;
      while (status === 503) status = (await guess(app, '203.0.113.1')).status;
      assert.equal(status, 404);
    });
  });
