/** POST /createLicenseFile (rules 4.12.2). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { assertRefused, inspect, revoke } from '../../support/answers.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { tidy } from '../../support/tidy.ts';
import { requestOf } from './offline-request.ts';
import { expectedBy, readLicenseFile } from './reading.ts';

const MISSING = 'Missing licenseKey with machineFingerprint and hostname or anyMachine, or request';

for (const engine of engines)
  describe(`/createLicenseFile on ${engine}`, () => {
    const app = startedApp(engine);

    const FAR = { machineFingerprint: 'far', hostname: 'Far away' };
    const create = (fields: Readonly<Record<string, unknown>>) => app.admin('/createLicenseFile', fields);

    it('binds the machine and answers a file for it, valid for 365 days', async () => {
      const licenseKey = await app.license();
      const body = await mustSucceed(create({ licenseKey, ...FAR }));
      assert.deepEqual([body.machinesUsed, body.maxMachines], [1, 2]);
      assert.equal(Date.parse(body.expiresAt) - Date.parse(body.issuedAt), 365 * DAY_MS);
      const expected = await expectedBy(app, { fingerprint: 'far', productId: 'app' });
      const claims = readLicenseFile(body.licenseFile, expected);
      assert.deepEqual([claims?.purpose, claims?.jti, claims?.hostname], ['offline', body.fileId, 'Far away']);
      assert.equal(claims?.email, undefined);
      const { activations } = await inspect(app, licenseKey);
      assert.deepEqual([activations[0].fingerprint, activations[0].hostname], ['far', 'Far away']);
      assert.deepEqual([activations[0].countries, activations[0].lastCountry], [[], null]);
    });

    it('takes the request that an app wrote, however it was wrapped', async () => {
      const licenseKey = await app.license();
      const request = requestOf({ licenseKey: ` ${licenseKey.toLowerCase()} ` });
      const expected = await expectedBy(app, { fingerprint: 'far', productId: 'app' });
      for (const text of [request, request.replaceAll('\n', '\r\n'), `> ${request.replace(/\n/g, ' ')}`]) {
        const { licenseFile, machinesUsed } = await mustSucceed(create({ request: text }));
        assert.notEqual(readLicenseFile(licenseFile, expected), null);
        assert.equal(machinesUsed, 1);
      }
    });

    it('takes a request whose texts are as short as a field may be', async () => {
      const licenseKey = await app.license({ productId: 'p' });
      const request = requestOf({ licenseKey, productId: 'p', fingerprint: 'f', hostname: 'h' });
      assert.equal((await mustSucceed(create({ request }))).machinesUsed, 1);
      const { activations } = await inspect(app, licenseKey);
      assert.deepEqual([activations[0].fingerprint, activations[0].hostname], ['f', 'h']);
    });

    it('looks for the license of a request with a key of up to 512 characters, as imported keys may have', async () => {
      const keyOf = (length: number) => create({ request: requestOf({ licenseKey: 'K'.repeat(length) }) });
      assertRefused(await keyOf(512), 404, 'License not found');
      assertRefused(await keyOf(513), 400, 'request is not a LATCHKEY REQUEST of an app');
    });

    it('400 for a request that is none, and for one that is contradicted', async () => {
      const licenseKey = await app.license();
      const none = 'request is not a LATCHKEY REQUEST of an app';
      for (const text of [
        'hello',
        requestOf({ licenseKey, v: 2 }),
        requestOf({ licenseKey, fingerprint: '' }),
        requestOf({ licenseKey, fingerprint: 7 }),
        requestOf({ licenseKey, hostname: '' }),
        requestOf({ licenseKey, fingerprint: 'a\0b' }),
        '-----BEGIN LATCHKEY REQUEST-----\nbm8\n-----END LATCHKEY REQUEST-----',
      ])
        assertRefused(await create({ request: text }), 400, none);
      const request = requestOf({ licenseKey });
      const other = { request, licenseKey: await app.license() };
      assertRefused(await create(other), 400, 'licenseKey is not the one of the request');
      const another = await create({ request, machineFingerprint: 'near' });
      assertRefused(another, 400, 'machineFingerprint is not the one of the request');
      assertRefused(
        await create({ request: 'x'.repeat(8193) }),
        400,
        'request must be a string of at most 8192 characters',
      );
      assert.equal((await inspect(app, licenseKey)).activationCount, 0);
    });

    it('400 when nothing says which license or which machine', async () => {
      const licenseKey = await app.license();
      for (const fields of [
        {},
        FAR,
        { licenseKey },
        { licenseKey, machineFingerprint: 'far' },
        { licenseKey, hostname: 'Far away' },
      ])
        assertRefused(await create(fields), 400, MISSING);
      const both = await create({ licenseKey, ...FAR, anyMachine: true });
      assertRefused(both, 400, 'anyMachine cannot be given together with a machine');
    });

    it('takes 1 to 3650 days, or forever', async () => {
      const licenseKey = await app.license();
      for (const days of [0, 3651, 1.5]) assert.equal((await create({ licenseKey, ...FAR, days })).status, 400);
      const both = await create({ licenseKey, ...FAR, days: 1, forever: true });
      assertRefused(both, 400, 'days cannot be given together with forever');
      const { issuedAt, expiresAt } = await mustSucceed(create({ licenseKey, ...FAR, days: 3650 }));
      assert.equal(Date.parse(expiresAt) - Date.parse(issuedAt), 3650 * DAY_MS);
      const { licenseFile, ...forever } = await mustSucceed(create({ licenseKey, ...FAR, forever: true }));
      assert.equal(forever.expiresAt, null);
      const expected = await expectedBy(app, { fingerprint: 'far', productId: 'app' });
      assert.equal(readLicenseFile(licenseFile, { ...expected, now: 4_000_000_000 })?.exp, null);
    });

    it('answers no file beyond the expiry of the license and the leeway, not even forever', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(5 * DAY_MS) });
      const { licenseExpiresAt } = (await new Machine(app, licenseKey).verify()).body;
      for (const period of [{}, { forever: true }]) {
        const { expiresAt } = await mustSucceed(create({ licenseKey, ...FAR, ...period }));
        assert.equal(Date.parse(expiresAt), Math.floor((Date.parse(licenseExpiresAt) + 3 * DAY_MS) / 1000) * 1000);
      }
    });

    it('answers and keeps no end beyond the year 9999, for a license that lasts until then', async (test) => {
      const licenseKey = await app.license({ expiresAt: '9999-12-31T23:59:59.999Z' });
      const last = '9999-12-31T23:59:59.000Z';
      const { licenseFile, expiresAt } = await mustSucceed(create({ licenseKey, ...FAR, forever: true }));
      assert.equal(expiresAt, last);
      const expected = await expectedBy(app, { fingerprint: 'far', productId: 'app' });
      assert.equal(readLicenseFile(licenseFile, expected)?.exp, Date.parse(last) / 1000);
      const { files } = await mustSucceed(app.admin('/listLicenseFiles', { licenseKey }));
      assert.equal(files[0].expiresAt, last);
      const storage = await openStorage(app.database);
      test.after(() => storage.close());
      await tidy(
        storage,
        believingEvery(() => app.clock.now() + 90 * DAY_MS),
      );
      assert.equal((await mustSucceed(app.admin('/listLicenseFiles', { licenseKey }))).count, 1, 'it is not over');
    });

    it('answers a file for any machine, which binds none', async () => {
      const licenseKey = await app.license();
      const { licenseFile, machinesUsed } = await mustSucceed(create({ licenseKey, anyMachine: true, days: 30 }));
      assert.equal(machinesUsed, 0);
      const expected = await expectedBy(app, { fingerprint: 'whichever', productId: 'app' });
      assert.equal(readLicenseFile(licenseFile, expected)?.fp, null);
    });

    it('writes the address of the customer into the file only on request', async () => {
      const licenseKey = await app.license({ email: 'Ada@example.com' });
      const { licenseFile } = await mustSucceed(create({ licenseKey, ...FAR, includeEmail: true }));
      const expected = await expectedBy(app, { fingerprint: 'far', productId: 'app' });
      assert.equal(readLicenseFile(licenseFile, expected)?.email, 'Ada@example.com');
    });

    it('404 and 403 as /activate, in its order, but it is no attempt and no misuse', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const request = requestOf({ licenseKey, productId: 'another' });
      await revoke(app, licenseKey);
      assertRefused(await create({ licenseKey: 'none', ...FAR }), 404, 'License not found');
      assertRefused(await create({ request }), 403, 'License is for a different product');
      assertRefused(await create({ licenseKey, ...FAR }), 403, 'License has been revoked');
      await app.admin('/reinstateLicense', { licenseKey });
      await app.admin('/updateLicense', { licenseKey, expiresAt: app.clock.at(-DAY_MS) });
      assertRefused(await create({ licenseKey, ...FAR }), 403, 'License has expired');
      await app.admin('/updateLicense', { licenseKey, expiresAt: null });
      for (let times = 0; times < 20; times += 1) assert.equal((await create({ licenseKey, ...FAR })).status, 200);
      const full = await create({ licenseKey, machineFingerprint: 'near', hostname: 'Near' });
      assertRefused(full, 403, 'Machine limit reached (1). Deactivate another machine first.');
      assert.deepEqual((await inspect(app, licenseKey)).violations, []);
      assert.equal((await new Machine(app, licenseKey, 'far').activate()).status, 200);
    });

    it('403 counts the sessions that lapsed: a seat that is free later is given', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 2 });
      const staying = await new Machine(app, licenseKey, 'staying').activated();
      await new Machine(app, licenseKey, 'lapsing').activated();
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxConcurrent: 1 }));
      app.clock.move(10 * MINUTE_MS);
      await mustSucceed(staying.heartbeat());
      app.clock.move(10 * MINUTE_MS);
      assertRefused(
        await create({ licenseKey, ...FAR }),
        403,
        'Machine limit reached (1). Deactivate another machine first.',
      );
      assert.equal((await mustSucceed(staying.verify())).machinesUsed, 1);
      await mustSucceed(staying.deactivate());
      assert.equal((await new Machine(app, licenseKey, 'next').activate()).status, 200);
    });

    it('leaves a machine that is bound as it is', async () => {
      const machine = await new Machine(app, await app.license(), 'far').activated();
      const before = await inspect(app, machine.licenseKey);
      app.clock.move(DAY_MS);
      await mustSucceed(create({ licenseKey: machine.licenseKey, ...FAR }));
      assert.deepEqual(await inspect(app, machine.licenseKey), before);
      assert.equal((await machine.validate()).status, 200);
    });

    it('records who made the file and who bound the machine', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product());
      const { fileId, expiresAt } = await mustSucceed(creator.send('/createLicenseFile', { licenseKey, ...FAR }));
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
      const [issued, bound] = events;
      assert.deepEqual([issued.type, issued.actor.id], ['license_file.issued', creator.creatorId]);
      assert.deepEqual(issued.after, { fileId, fingerprint: 'far', hostname: 'Far away', expiresAt });
      assert.deepEqual([bound.type, bound.actor.id], ['activation.created', creator.creatorId]);
      const { files } = await mustSucceed(creator.send('/listLicenseFiles', { licenseKey }));
      assert.equal(files[0].issuedBy, `creator:${creator.creatorId}`);
    });

    it('of 15 machines at once exactly as many are bound as there are slots', async () => {
      const licenseKey = await app.license({ maxMachines: 5 });
      await fillPool(app);
      const answers = await Promise.all(
        Array.from({ length: 15 }, (_, index) =>
          create({ licenseKey, machineFingerprint: `machine ${index}`, hostname: 'Host' }),
        ),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 5);
      assert.equal(answers.filter(({ status }) => status === 403).length, 10);
      assert.equal((await inspect(app, licenseKey)).activationCount, 5);
    });

    it('answers for licenses of archived products as for any other', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const licenseKey = await creator.license(productId);
      await mustSucceed(creator.send('/updateProduct', { productId, status: 'archived' }));
      assert.equal((await creator.send('/createLicenseFile', { licenseKey, ...FAR })).status, 200);
    });
  });
