/** POST /issueLicenseFile (rules 4.12.1, 11.1). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect, update } from '../../support/answers.ts';
import { startApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { expectedBy, fetchFile, readLicenseFile } from './reading.ts';

const UNKNOWN_KEY = 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE';

for (const engine of engines)
  describe(`/issueLicenseFile on ${engine}`, () => {
    const app = startedApp(engine);

    const machineOf = async (order: Readonly<Record<string, unknown>> = {}, fingerprint = 'machine-1') =>
      new Machine(app, await app.license(order), fingerprint).activated();

    it('issues a file for 30 days on this machine, and states that', async () => {
      const machine = await machineOf({ variant: 'pro', maxMachines: 3, unlockedProducts: ['brushes'] });
      const body = await mustSucceed(fetchFile(machine));
      const issuedAt = Math.floor(app.clock.now() / 1000);
      const moment = (seconds: number) => new Date(seconds * 1000).toISOString();
      assert.equal(body.issuedAt, moment(issuedAt));
      assert.equal(body.expiresAt, moment(issuedAt + 30 * 86_400));
      assert.equal(body.renewAfter, moment(issuedAt + 7.5 * 86_400));
      const expected = await expectedBy(app, machine);
      const { licenseKey } = machine;
      const base64url = (text: string) => createHash('sha256').update(text).digest('base64url');
      assert.deepEqual(readLicenseFile(body.licenseFile, expected), {
        v: 1,
        iss: expected.issuer,
        jti: body.fileId,
        iat: issuedAt,
        renewAfter: issuedAt + 7.5 * 86_400,
        exp: issuedAt + 30 * 86_400,
        purpose: 'grace',
        lic: base64url(licenseKey).slice(0, 22),
        keyHint: licenseKey.slice(-5),
        fp: base64url('latchkey-fp:machine-1'),
        productId: 'app',
        products: ['app', 'brushes'],
        variant: 'pro',
        licenseType: 'per-machine',
        licenseExpiresAt: null,
        maxMachines: 3,
        hostname: 'host of machine-1',
      });
      assert.match(expected.issuer, /^urn:latchkey:[a-z2-9]{16}$/);
      assert.match(body.fileId, /^lf_[\da-f-]{36}$/);
      assert.equal(body.keyId, expected.publicKeys[0]?.kid);
      const lines = body.licenseFile.trimEnd().split('\n');
      assert.equal(lines[0], '-----BEGIN LATCHKEY LICENSE-----');
      assert.equal(lines.at(-1), '-----END LATCHKEY LICENSE-----');
      assert.ok(lines.every((line: string) => line.length <= 64));
    });

    it('gives a file that no other machine, product or issuer takes, and nobody once it has expired', async () => {
      const machine = await machineOf();
      const { licenseFile } = await mustSucceed(fetchFile(machine));
      const expected = await expectedBy(app, machine);
      assert.notEqual(readLicenseFile(licenseFile, expected), null);
      for (const other of [
        { fingerprint: 'machine-2' },
        { productId: 'brushes' },
        { issuer: 'urn:latchkey:other' },
        { now: expected.now + 30 * 86_400 },
        { publicKeys: [] },
      ])
        assert.equal(readLicenseFile(licenseFile, { ...expected, ...other }), null, JSON.stringify(other));
    });

    it('issues no file beyond the expiry of the license and the leeway', async () => {
      const expiresAt = app.clock.at(10 * DAY_MS);
      const { expiresAt: end } = await mustSucceed(fetchFile(await machineOf({ expiresAt })));
      assert.equal(Date.parse(end), Math.floor((Date.parse(expiresAt) + 3 * DAY_MS) / 1000) * 1000);
    });

    it('gives a floating license a file of one day, and only while the session is live', async () => {
      const machine = await machineOf({ licenseType: 'floating', maxConcurrent: 2 });
      const { issuedAt, expiresAt } = await mustSucceed(fetchFile(machine));
      assert.equal(Date.parse(expiresAt) - Date.parse(issuedAt), DAY_MS);
      app.clock.move(16 * MINUTE_MS);
      assertRefused(await fetchFile(machine), 403, 'Machine not activated');
      const { activations } = await inspect(app, machine.licenseKey);
      assert.equal(activations[0].sessionActive, false, 'it begins no session');
      assert.equal((await machine.heartbeat()).status, 200);
      assert.equal((await fetchFile(machine)).status, 200);
    });

    it('changes nothing of the machine, and counts as no attempt', async () => {
      const machine = await machineOf();
      const before = await inspect(app, machine.licenseKey);
      app.clock.move(HOUR_MS);
      for (let times = 0; times < 20; times += 1) assert.equal((await fetchFile(machine)).status, 200);
      assert.deepEqual(await inspect(app, machine.licenseKey), before);
    });

    it('asks: fields, license, token, whose token, revocation, expiry, machine, which activation', async () => {
      const machine = await machineOf();
      const { licenseKey, token } = machine;
      const other = await new Machine(app, await app.license()).activated();
      await machine.deactivate();
      await update(app, licenseKey, { expiresAt: app.clock.at(-DAY_MS), status: 'revoked' });
      for (const field of ['licenseKey', 'machineFingerprint', 'token']) {
        const fields = { licenseKey, machineFingerprint: 'machine-1', token, [field]: '' };
        assertRefused(await app.send('/issueLicenseFile', fields), 400, 'Missing required fields');
      }
      assertRefused(await fetchFile(Object.assign(new Machine(app, UNKNOWN_KEY), { token })), 404, 'License not found');
      machine.token = 'garbage';
      assertRefused(await fetchFile(machine), 401, 'Invalid or expired token');
      machine.token = other.token;
      assertRefused(await fetchFile(machine), 401, 'Token mismatch');
      const { violations } = await inspect(app, licenseKey);
      assert.equal(violations[0].type, 'token_replay');
      assert.equal(violations[0].evidence.endpoint, '/issueLicenseFile');
      machine.token = token;
      assertRefused(await fetchFile(machine), 403, 'License has been revoked');
      await app.admin('/reinstateLicense', { licenseKey });
      assertRefused(await fetchFile(machine), 403, 'License has expired');
      await update(app, licenseKey, { expiresAt: null });
      assertRefused(await fetchFile(machine), 403, 'Machine not activated');
      await machine.activated();
      const newToken = machine.token;
      machine.token = token;
      assertRefused(await fetchFile(machine), 401, 'Invalid or expired token');
      machine.token = newToken;
      assert.equal((await fetchFile(machine)).status, 200);
    });

    it('405 for anything but POST', async () => {
      assert.equal((await app.send('/issueLicenseFile', undefined, { method: 'GET' })).status, 405);
    });

    it('records nothing, and keeps nothing for an Idempotency-Key', async () => {
      const machine = await machineOf();
      const { licenseKey, fingerprint: machineFingerprint, token } = machine;
      const headers = { 'idempotency-key': 'the same' };
      const ids = new Set<string>();
      for (let times = 0; times < 2; times += 1) {
        app.clock.move(MINUTE_MS);
        ids.add(
          (await mustSucceed(app.send('/issueLicenseFile', { licenseKey, machineFingerprint, token }, { headers })))
            .fileId,
        );
      }
      assert.equal(ids.size, 2);
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
      assert.deepEqual(
        events.map(({ type }: { type: string }) => type),
        ['activation.created', 'license.created'],
      );
    });

    it('counts among the calls of its network that are under way', async (test) => {
      const narrow = await startApp(engine, { LATCHKEY_NETWORK_CALLS: '1' });
      test.after(() => narrow.stop());
      const machine = await new Machine(narrow, await narrow.license({ maxMachines: -1 })).activated();
      const answers = await Promise.all(Array.from({ length: 30 }, () => fetchFile(machine)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 503]);
      assert.ok(answers.some(({ headers }) => headers['latchkey-code'] === 'network_busy'));
    });

    it('offers none where the operator has switched them off', async (test) => {
      const without = await startApp(engine, {
        LATCHKEY_LICENSE_FILE_LIFETIME: '2h',
        LATCHKEY_FLOATING_FILE_LIFETIME: 'off',
      });
      test.after(() => without.stop());
      const floating = await new Machine(without, await without.license({ licenseType: 'floating' })).activated();
      assertRefused(await fetchFile(floating), 403, 'License files are not offered for this license');
      const { issuedAt, expiresAt } = await mustSucceed(
        fetchFile(await new Machine(without, await without.license()).activated()),
      );
      assert.equal(Date.parse(expiresAt) - Date.parse(issuedAt), 2 * HOUR_MS);
    });
  });
