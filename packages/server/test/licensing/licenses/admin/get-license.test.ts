import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../../src/ground/base/clock.ts';
import { ADMIN_SECRET } from '../../../support/app.ts';
import { mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

const FROM = (country: string) => ({ headers: { 'x-country': country } });

for (const engine of engines)
  describe(`/getLicense on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_COUNTRY_HEADER: 'X-Country' });

    const read = (licenseKey: string, fields = {}) => mustSucceed(app.admin('/getLicense', { licenseKey, ...fields }));

    it('shows a new license with empty lists', async () => {
      const licenseKey = await app.license();
      const { license, ...rest } = await read(licenseKey);
      assert.equal(license.key, licenseKey);
      assert.deepEqual(rest, { success: true, activations: [], activationCount: 0, violations: [] });
    });

    it('answers GET as it answers POST', async () => {
      const licenseKey = await app.license();
      const byQuery = await app.send(`/getLicense?licenseKey=${licenseKey}&adminSecret=${ADMIN_SECRET}`, undefined, {
        method: 'GET',
      });
      assert.equal(byQuery.status, 200);
      assert.deepEqual(byQuery.body, await read(licenseKey));
    });

    it('takes a key in any case and with blanks around it', async () => {
      const licenseKey = await app.license();
      assert.equal((await read(`  ${licenseKey.toLowerCase()}\t`)).license.key, licenseKey);
    });

    it('shows a machine with every field of an activation', async () => {
      const machine = new Machine(app, await app.license(), 'machine-1');
      const body = await mustSucceed(machine.activate(FROM('SE')));
      const firstSeen = app.clock.at();
      app.clock.move(MINUTE_MS);
      assert.equal((await machine.validate(FROM('DE'))).status, 200);
      const { activations, activationCount } = await read(machine.licenseKey);
      assert.equal(activationCount, 1);
      assert.deepEqual(activations, [
        {
          fingerprint: 'machine-1',
          hostname: 'host of machine-1',
          firstSeen,
          lastSeen: app.clock.at(),
          tokenExpiry: body.expiresAt,
          sessionStarted: null,
          sessionActive: false,
          countries: ['SE', 'DE'],
          lastCountry: 'DE',
        },
      ]);
    });

    it('shows no country for a machine whose country is unknown', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      const [activation] = (await read(machine.licenseKey)).activations;
      assert.deepEqual([activation.countries, activation.lastCountry], [[], null]);
    });

    it('shows a floating session while it lives, and none once it has lapsed', async () => {
      const machine = await new Machine(app, await app.license({ licenseType: 'floating' })).activated();
      const started = app.clock.at();
      app.clock.move(15 * MINUTE_MS - 1);
      const [live] = (await read(machine.licenseKey)).activations;
      assert.deepEqual([live.sessionActive, live.sessionStarted], [true, started]);
      app.clock.move(1);
      const [lapsed] = (await read(machine.licenseKey)).activations;
      assert.deepEqual([lapsed.sessionActive, lapsed.sessionStarted], [false, null]);
    });

    it('shows a machine no more once it is deactivated', async () => {
      const licenseKey = await app.license();
      const [gone, kept] = [
        await new Machine(app, licenseKey, 'gone').activated(),
        await new Machine(app, licenseKey, 'kept').activated(),
      ];
      assert.equal((await gone.deactivate()).status, 200);
      const { activations, activationCount } = await read(licenseKey);
      assert.deepEqual([activations.length, activations[0].fingerprint], [1, kept.fingerprint]);
      assert.equal(activationCount, 1);
    });

    it('pages through the machines by fingerprint, each once', async () => {
      const licenseKey = await app.license({ maxMachines: -1, licenseType: 'site' });
      for (const fingerprint of ['d', 'b', 'e', 'a', 'c']) await new Machine(app, licenseKey, fingerprint).activated();
      const pages: string[][] = [];
      let activationCursor: string | undefined;
      do {
        const page = await read(licenseKey, { activationLimit: 2, activationCursor });
        assert.equal(page.activationCount, 5);
        pages.push(page.activations.map((each: { fingerprint: string }) => each.fingerprint));
        activationCursor = page.nextActivationCursor;
      } while (activationCursor !== undefined);
      assert.deepEqual(pages, [['a', 'b'], ['c', 'd'], ['e']]);
    });

    it('computes the status from the clock, without any write', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(DAY_MS) });
      app.clock.move(DAY_MS - 1);
      assert.equal((await read(licenseKey)).license.status, 'active');
      app.clock.move(1);
      assert.equal((await read(licenseKey)).license.status, 'expired');
    });

    it('says revoked, not expired, of a license that is both', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(-DAY_MS) });
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      assert.equal((await read(licenseKey)).license.status, 'revoked');
    });

    it('shows the violations of the license, newest first', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'first').activated();
      assert.equal((await new Machine(app, licenseKey, 'second').activate()).status, 403);
      const limitAt = app.clock.at();
      app.clock.move(1);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'fraud' }));
      const { violations, license } = await read(licenseKey);
      assert.equal(license.threatLevel, 4);
      const [{ id, ...fraud }, { id: limitId, evidence, ...limit }] = violations;
      assert.ok(typeof id === 'string' && id !== '' && id !== limitId);
      assert.deepEqual(fraud, {
        type: 'fraud',
        severity: 4,
        occurrences: 1,
        firstSeen: app.clock.at(),
        lastSeen: app.clock.at(),
        evidence: { reportedBy: 'operator' },
        resolvedAt: null,
      });
      assert.deepEqual(limit, {
        type: 'machine_limit',
        severity: 1,
        occurrences: 1,
        firstSeen: limitAt,
        lastSeen: limitAt,
        resolvedAt: null,
      });
      assert.equal(evidence.limit, 1);
    });

    for (const activationLimit of [0, 1001, 'all'])
      it(`400 for an activationLimit of ${JSON.stringify(activationLimit)}`, async () => {
        const { status, body } = await app.admin('/getLicense', { licenseKey: 'ANY', activationLimit });
        assert.deepEqual([status, body.error], [400, 'activationLimit must be a whole number from 1 to 1000']);
      });
  });
