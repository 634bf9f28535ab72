/** What sites may do within the real service: calls of endpoints, reads of rows, raw bodies, patterns of paths. */
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { after, describe, it } from 'node:test';
import { activate } from '../../../src/licensing/client-endpoints/activate.ts';
import { verify } from '../../../src/licensing/client-endpoints/verify.ts';
import { findLicense } from '../../../src/licensing/licenses/store.ts';
import { isRefusal, refuse } from '../../../src/platform/endpoint/refusals.ts';
import { pathPattern } from '../../../src/platform/sites/path-pattern.ts';
import type { Site } from '../../../src/platform/sites/site.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { LockHolder } from '../../support/lock-holder.ts';

const MEBIBYTE = 1024 * 1024;
const CHECK = pathPattern('/compat/<productId>/check');
const LENGTH = pathPattern('/compat/<name>/length');

/** A route for apps that know another service: their form in, the decision of /verify out. */
const checkSite: Site = {
  countedPaths: [CHECK.pattern],
  has: (path) => CHECK.segmentsOf(path) !== null,
  async answer(visit) {
    const { productId } = CHECK.segmentsOf(visit.path) ?? {};
    const body = await visit.readBody({ contentType: null, maxBytes: 1_000 });
    const licenseKey = Buffer.isBuffer(body) ? body.toString() : '';
    const answer = await visit.call(verify, { licenseKey, productId });
    if ('refusal' in answer) return visit.sendOutcome(answer.outcome);
    const { email, machinesUsed } = answer.reply;
    visit.sendOutcome({ status: 200, body: JSON.stringify({ owner: email, uses: machinesUsed }) });
  },
};

/** Answers the number of received bytes, and whether a license of this key is stored. */
const lengthSite: Site = {
  countedPaths: [],
  has: (path) => LENGTH.segmentsOf(path) !== null,
  async answer(visit) {
    const { name: licenseKey = '' } = LENGTH.segmentsOf(visit.path) ?? {};
    const body = await visit.readBody({ contentType: null, maxBytes: MEBIBYTE });
    const row = await visit.read(
      async (sql) => (await findLicense(sql, licenseKey, { creatorId: null })) !== undefined,
    );
    if (isRefusal(row)) return visit.refuse(row);
    const text = JSON.stringify({ bytes: typeof body === 'string' ? body : body.length, isStored: row.found });
    visit.send({ status: 200, headers: ['Content-Type', 'application/json'], body: text });
  },
};

/** A shop's reports: one that is not signed is refused before anything writes. */
const reportSite: Site = {
  countedPaths: ['/report'],
  has: (path) => path === '/report',
  async answer(visit) {
    const known = await visit.read((sql) => findLicense(sql, String(visit.headers.signature), { creatorId: null }));
    if (isRefusal(known)) return visit.refuse(known);
    if (known.found === undefined) return visit.refuse(refuse('unauthorized'));
    const { outcome } = await visit.call(activate, {
      licenseKey: known.found.licenseKey,
      productId: 'app',
      machineFingerprint: 'machine-1',
      hostname: 'One',
    });
    visit.sendOutcome(outcome);
  },
};

describe('a site that checks a signature', { timeout: 120_000 }, () => {
  it('refuses forged reports while the writer waits, and writes for the right one', async (test) => {
    const app = await startApp('sqlite', {}, undefined, { sites: () => [reportSite], lockTimeoutMs: 60_000 });
    test.after(() => app.stop());
    const licenseKey = await app.license();
    const report = (signature: string) => app.send('/report', {}, { headers: { signature } });
    const holder = await LockHolder.of((app.database as { file: string }).file);
    test.after(() => holder.release());
    const answered: string[] = [];
    const right = report(licenseKey).then(({ status }) => answered.push(`right ${status}`));
    const forged = await Promise.all(Array.from({ length: 30 }, () => report('forged')));
    assert.deepEqual([...new Set(forged.map(({ status }) => status))], [401]);
    assert.deepEqual(answered, []);
    await holder.release();
    await right;
    assert.deepEqual(answered, ['right 200']);
  });
});

for (const engine of engines)
  describe(`a site on ${engine}`, { timeout: 120_000 }, () => {
    let app: TestApp;
    const started = startApp(engine, {}, undefined, { sites: () => [checkSite, lengthSite] }).then(
      (one) => (app = one),
    );
    after(() => app.stop());

    const post = async (path: string, body: Buffer | string, method = 'POST') => {
      await started;
      return new Promise<{ status: number; text: string }>((resolve, reject) => {
        const options = { port: app.port, method, path, rejectUnauthorized: false, agent: false };
        const sent = request(options, async (response) => {
          const text = Buffer.concat(await response.toArray()).toString();
          resolve({ status: response.statusCode ?? 0, text });
        });
        sent.on('error', reject);
        sent.end(body);
      });
    };

    it('calls an endpoint of apps, and sends its own answer', async () => {
      await started;
      const licenseKey = await app.license();
      const answer = await post('/compat/app/check', licenseKey);
      const direct = await app.send('/verify', { licenseKey, productId: 'app' });
      assert.equal(answer.status, direct.status);
      assert.equal(direct.body.valid, true);
      assert.deepEqual(JSON.parse(answer.text), { owner: direct.body.email, uses: direct.body.machinesUsed });
    });

    it('passes fields that the endpoint reads itself: a key that no database can store is refused by its name', async () => {
      const answer = await post('/compat/app/check', 'A\0B');
      assert.equal(answer.status, 400);
      assert.match(answer.text, /licenseKey must not contain NUL or half of a surrogate pair/);
      assert.match((await post('/compat/app/check', '')).text, /Missing/);
    });

    it('gets a body of a mebibyte as the bytes that arrived, and none beyond its bound', async () => {
      const bytes = Buffer.alloc(MEBIBYTE, 0xff);
      assert.equal(JSON.parse((await post('/compat/x/length', bytes)).text).bytes, MEBIBYTE);
      const larger = Buffer.concat([bytes, Buffer.from('a')]);
      assert.equal(JSON.parse((await post('/compat/x/length', larger)).text).bytes, 'tooLarge');
    });

    it('finds rows by their keys', async () => {
      await started;
      const licenseKey = await app.license();
      assert.equal(JSON.parse((await post(`/compat/${licenseKey}/length`, '')).text).isStored, true);
      assert.equal(JSON.parse((await post('/compat/NO-SUCH-KEY/length', '')).text).isStored, false);
    });

    it('is asked for the paths of its pattern only', async () => {
      for (const path of ['/compat//check', '/compat/app/check/', '/compat/a/b/check', '/compat/a%20b/check'])
        assert.equal((await post(path, '')).status, 404, path);
      assert.equal((await post(`/compat/${'a'.repeat(201)}/check`, '')).status, 404);
    });
  });
