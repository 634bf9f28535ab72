import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { startApp, type TestApp } from '../../support/app.ts';
import { freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import type { TestDatabase } from '../../support/test-database.ts';

describe('a license that somebody keeps locked on postgres', () => {
  let shared: TestDatabase;
  let app: TestApp;
  let other: pg.Client;
  before(async () => {
    shared = await freshDatabase('postgres');
    const { url } = shared.database as { url: string };
    // The service's own timeout is seconds; here it is short.
    const address = new URL(url);
    address.searchParams.set('lock_timeout', '200');
    app = await startApp('postgres', { DATABASE_URL: address.href, LATCHKEY_LOG_LEVEL: 'fatal' }, shared);
    other = new pg.Client(url);
    await other.connect();
  });
  after(async () => {
    await other.end();
    await app.stop();
    await shared.remove();
  });

  it('is answered 503 with Retry-After, and the calls that were gathered with it are answered as ever', async () => {
    const locked = new Machine(app, await app.license());
    const neighbours = await Promise.all(Array.from({ length: 20 }, async () => new Machine(app, await app.license())));
    await other.query('begin');
    await other.query('select 1 from license where license_key = $1 for update', [locked.licenseKey]);
    const [refused, ...answers] = await Promise.all([locked, ...neighbours].map((machine) => machine.activate()));
    await other.query('rollback');
    assert.deepEqual([refused?.status, refused?.headers['retry-after']], [503, '1']);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal((await locked.activate()).body.machinesUsed, 1);
  });
});
