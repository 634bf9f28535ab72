import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { coversVersion } from '../../../src/licensing/licenses/updates.ts';
import { inspect, update } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

describe('a newest covered version', () => {
  it('covers all versions that begin with it, and all before', () => {
    for (const [maxVersion, covered, beyond] of [
      ['2', ['2', '2.0.0-beta', '2.99.1', '1.10', '0'], ['3', '3.0.0-rc1', '10']],
      ['2.3', ['2.3', '2.3.9', '2.2.99', '2', '1.9'], ['2.4', '2.10', '3']],
      ['1.9', ['1.9.5+build.7'], ['1.10']],
    ] as const) {
      for (const version of covered) assert.ok(coversVersion(maxVersion, version), `${maxVersion} covers ${version}`);
      for (const version of beyond) assert.ok(!coversVersion(maxVersion, version), `${maxVersion}: not ${version}`);
    }
  });
});

for (const engine of engines)
  describe(`updates on ${engine}`, () => {
    const app = startedApp(engine);

    /** The answers of the three endpoints that take a build. */
    async function answersTo(machine: Machine, build: Readonly<Record<string, unknown>>) {
      const { licenseKey, fingerprint: machineFingerprint, token } = machine;
      const activation = { licenseKey, machineFingerprint, hostname: 'studio', productId: 'app', ...build };
      return [
        await app.send('/verify', { licenseKey, productId: 'app', ...build }),
        await app.send('/validate', { licenseKey, machineFingerprint, token, ...build }),
        await app.send('/activate', activation),
      ];
    }

    it('cover builds up to their end; older builds run on', async () => {
      const updatesUntil = app.clock.at(365 * DAY_MS);
      const licenseKey = await app.license({ updatesUntil, maxVersion: '2' });
      const machine = await new Machine(app, licenseKey).activated();
      app.clock.move(1000 * DAY_MS);
      await machine.activated();
      for (const build of [{}, { buildDate: updatesUntil }, { buildDate: '1970-01-01' }, { version: '2.9.1' }])
        for (const answer of await answersTo(machine, build)) {
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          assert.deepEqual([answer.body.updatesUntil, answer.body.maxVersion], [updatesUntil, '2']);
        }
      for (const build of [{ buildDate: app.clock.at() }, { version: '3.0.0-beta' }])
        for (const answer of await answersTo(machine, build)) {
          assert.equal(answer.status, 403);
          assert.equal(answer.headers['latchkey-code'], 'update_not_covered');
          const { error, updatesUntil: end, maxVersion } = answer.body;
          assert.deepEqual([error, end, maxVersion], ['License does not cover this version', updatesUntil, '2']);
        }
    });

    it('take no slot and open no violation when they do not cover a build', async () => {
      const licenseKey = await app.license({ maxVersion: '1', maxMachines: 1 });
      const machine = new Machine(app, licenseKey);
      const { licenseKey: key, fingerprint: machineFingerprint } = machine;
      const fields = { licenseKey: key, machineFingerprint, hostname: 'studio', productId: 'app', version: '2' };
      for (let times = 0; times < 3; times += 1) assert.equal((await app.send('/activate', fields)).status, 403);
      const { activations, violations } = await inspect(app, licenseKey);
      assert.deepEqual([activations, violations], [[], []]);
    });

    it('begin with the issue of a license whose variant has days of updates, and are extended by staff', async () => {
      await mustSucceed(app.admin('/createProduct', { name: 'Paint', slug: 'paint', creatorId: 'ada' }));
      await mustSucceed(
        app.admin('/createVariant', { productId: 'paint', name: 'pro', updatesDays: 365, maxVersion: '4' }),
      );
      const licenseKey = await app.license({ productId: 'paint', variant: 'pro' });
      const { license } = await inspect(app, licenseKey);
      assert.deepEqual([license.updatesUntil, license.maxVersion], [app.clock.at(365 * DAY_MS), '4']);
      await update(app, licenseKey, { updatesUntil: null, maxVersion: null });
      const { license: changed } = await mustSucceed(app.admin('/getLicense', { licenseKey }));
      assert.deepEqual([changed.updatesUntil, changed.maxVersion], [null, null]);
    });

    it('are compared with the build and not with the clock, so that one set back covers nothing more', async () => {
      const updatesUntil = app.clock.at(10 * DAY_MS);
      const machine = await new Machine(app, await app.license({ updatesUntil })).activated();
      const [covered, later] = [{ buildDate: updatesUntil }, { buildDate: app.clock.at(10 * DAY_MS + 1) }];
      for (const days of [0, 20, -25]) {
        app.clock.move(days * DAY_MS);
        for (const answer of await answersTo(machine, later)) assert.equal(answer.status, 403, `${days}`);
      }
      app.clock.move(25 * DAY_MS);
      for (const answer of await answersTo(machine, covered)) assert.equal(answer.status, 200);
    });

    it('take an empty version and an empty date for absent ones', async () => {
      const licenseKey = await app.license({ updatesUntil: app.clock.at(-DAY_MS), maxVersion: '1' });
      const machine = await new Machine(app, licenseKey).activated();
      for (const answer of await answersTo(machine, { version: '', buildDate: '' })) assert.equal(answer.status, 200);
    });

    it('refuse a version of another form, and name the field', async () => {
      const licenseKey = await app.license();
      for (const version of ['v2', '2.', '2..1', 'two', '-1']) {
        const { status, body } = await app.send('/verify', { licenseKey, productId: 'app', version });
        assert.equal(status, 400);
        assert.match(body.error, /^version must be a version of whole numbers with dots/);
      }
    });
  });
