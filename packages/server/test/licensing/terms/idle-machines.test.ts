/** Idle machines that make room for others (rules 14.5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, fromTimestamp } from '../../../src/ground/base/clock.ts';
import { loadIdleMachines } from '../../../src/licensing/client-endpoints/idle-machines.ts';
import { LicenseChanges, newActivation } from '../../../src/licensing/client-endpoints/license-changes.ts';
import type { License, UsedLicense } from '../../../src/licensing/licenses/license.ts';
import { NO_TERMS } from '../../../src/licensing/licenses/own-terms.ts';
import type { AnyStatement, Sql } from '../../../src/storage/contract/storage.ts';
import { checkIn, explain } from '../../insight/explanations/explaining.ts';
import { inspect, update } from '../../support/answers.ts';
import type { Answer } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { aLicense } from '../../support/plain-license.ts';
import { startedApp } from '../../support/started-app.ts';

function assertFull({ status, body }: Answer, text: string): void {
  assert.deepEqual([status, body.error], [403, text]);
}

const FULL = 'Machine limit reached (2). Deactivate another machine first.';

describe('an idle machine', () => {
  const terms = { ...NO_TERMS, releaseIdleDays: 30 };
  const now = fromTimestamp('2027-01-31T10:00:00.000Z');
  const idle = newActivation({ licenseKey: 'KEY' }, 'idle', 'Idle', 'activation', now - 31 * DAY_MS);

  /** Whether the machine makes room on a full license. */
  function makesRoom(license: Partial<UsedLicense>, believableNow: number | null): boolean {
    const full = { ...aLicense({ maxMachines: 1, terms, ...license }), machinesUsed: 1 };
    const dates = { sessionNow: (at: number) => at, believableNow: () => believableNow };
    const changes = new LicenseChanges(full, 0, dates);
    changes.loadIdle(idle);
    return changes.makeRoom({ requestId: 'test', now, country: null, address: null });
  }

  it('makes room only if the clock is believed, and only on a license that counts machines', () => {
    assert.equal(makesRoom({}, now), true);
    assert.equal(makesRoom({}, null), false);
    assert.equal(makesRoom({ licenseType: 'floating', maxConcurrent: 1, sessionsHeld: 1 }, now), false);
    assert.equal(makesRoom({ terms: NO_TERMS }, now), false);
  });

  it('is looked for only if a machine that is not bound may find a license with the term full', async () => {
    const asked: string[] = [];
    const all = async ({ name }: AnyStatement) => {
      asked.push(name);
      return [];
    };
    const sql = { all } as unknown as Sql;
    async function statementsFor(license: Partial<License>, fingerprint: string, bindsMachine = true) {
      asked.length = 0;
      const changes = new LicenseChanges(aLicense({ machinesUsed: 2, terms, ...license }), 0);
      changes.load({ ...idle, licenseKey: 'K', fingerprint: 'bound' });
      const calls = [{ licenseKey: 'K', fingerprint, bindsMachine }];
      await loadIdleMachines(sql, calls, new Map([['K', changes]]), now, { believableNow: (at) => at });
      return [...asked];
    }
    assert.deepEqual(await statementsFor({}, 'new'), ['activation.list_idle']);
    assert.deepEqual(await statementsFor({ terms: NO_TERMS }, 'new'), []);
    assert.deepEqual(await statementsFor({ machinesUsed: 1 }, 'new'), []);
    assert.deepEqual(await statementsFor({ maxMachines: -1 }, 'new'), []);
    assert.deepEqual(await statementsFor({ attempts: Array.from({ length: 15 }, () => now - 1) }, 'new'), []);
    assert.deepEqual(await statementsFor({}, 'bound'), []);
    assert.deepEqual(await statementsFor({}, 'new', false), []);
  });
});

for (const engine of engines)
  describe(`idle machines on ${engine}`, () => {
    const app = startedApp(engine);

    /** A license for two machines, both bound, of which `old` was seen `days` days ago and `recent` a day later. */
    async function fullLicense(days: number, terms: Readonly<Record<string, unknown>> = { releaseIdleDays: 10 }) {
      const licenseKey = await app.license({ maxMachines: 2, ...terms });
      const [old, recent] = [new Machine(app, licenseKey, 'old'), new Machine(app, licenseKey, 'recent')];
      await old.activated();
      app.clock.move(DAY_MS);
      await recent.activated();
      app.clock.move((days - 1) * DAY_MS);
      return { licenseKey, old, recent };
    }

    async function boundTo(licenseKey: string): Promise<string[]> {
      const { activations } = await inspect(app, licenseKey);
      return activations.map(({ fingerprint }: { readonly fingerprint: string }) => fingerprint).sort();
    }

    async function releasesOf(licenseKey: string) {
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey, types: ['activation.deleted'] }));
      return events;
    }

    it('give their slot to a new machine, the one seen the longest ago first, one for each call', async () => {
      const { licenseKey, old, recent } = await fullLicense(20);
      const answer = await new Machine(app, licenseKey, 'new').activate();
      assert.deepEqual([answer.status, answer.body.machinesUsed], [200, 2]);
      assert.deepEqual(await boundTo(licenseKey), ['new', 'recent']);
      const [event, ...others] = await releasesOf(licenseKey);
      assert.deepEqual(others, []);
      assert.deepEqual(
        [event.before, event.after],
        [{ fingerprint: 'old', hostname: 'host of old' }, { reason: 'idle' }],
      );
      assert.equal(event.actor.kind, 'client');
      // Its token ended with its activation, for files, too.
      assert.equal((await old.validate()).headers['latchkey-code'], 'machine_not_activated');
      const session = { licenseKey, machineFingerprint: 'old', token: old.token };
      assert.equal((await app.send('/issueLicenseFile', session)).headers['latchkey-code'], 'machine_not_activated');
      assert.equal((await recent.validate()).status, 200);
      assert.deepEqual((await inspect(app, licenseKey)).violations, []);
    });

    it('keep their slot until the days are over, and as long as they show signs of life', async () => {
      const { licenseKey, old } = await fullLicense(10);
      const late = new Machine(app, licenseKey, 'late');
      assertFull(await late.activate(), FULL);
      assert.equal((await old.validate()).status, 200);
      app.clock.move(1);
      assertFull(await late.activate(), FULL);
      app.clock.move(DAY_MS);
      assert.equal((await late.activate()).status, 200);
      assert.deepEqual(await boundTo(licenseKey), ['late', 'old']);
    });

    it('keep their slot if the license does not have the term, or a slot is free', async () => {
      const { licenseKey } = await fullLicense(1000, {});
      assertFull(await new Machine(app, licenseKey, 'new').activate(), FULL);
      await update(app, licenseKey, { releaseIdleDays: 10, maxMachines: 3 });
      assert.equal((await new Machine(app, licenseKey, 'new').activate()).status, 200);
      assert.deepEqual(await boundTo(licenseKey), ['new', 'old', 'recent']);
    });

    it('keep their slot if the caller would be refused all the same', async () => {
      const { licenseKey } = await fullLicense(20);
      await update(app, licenseKey, { maxMachines: 1 });
      const text = 'Machine limit reached (1). Deactivate another machine first.';
      assertFull(await new Machine(app, licenseKey, 'new').activate(), text);
      await update(app, licenseKey, { maxMachines: 2, expiresAt: app.clock.at(-DAY_MS) });
      assert.equal((await new Machine(app, licenseKey, 'new').activate()).status, 403);
      assert.deepEqual(await boundTo(licenseKey), ['old', 'recent']);
      assert.deepEqual(await releasesOf(licenseKey), []);
    });

    it('come back like any other machine', async () => {
      const { licenseKey, old } = await fullLicense(20);
      await new Machine(app, licenseKey, 'new').activated();
      await old.activated();
      assert.deepEqual(await boundTo(licenseKey), ['new', 'old']);
      assert.equal((await old.validate()).status, 200);
    });

    it('let one of 20 machines in that ask at once for one idle slot', async () => {
      const { licenseKey, recent } = await fullLicense(20);
      await recent.activated();
      const machines = Array.from({ length: 20 }, (_, index) => new Machine(app, licenseKey, `new-${index}`));
      await fillPool(app);
      const statuses = (await Promise.all(machines.map((machine) => machine.activate()))).map(({ status }) => status);
      const count = (status: number) => statuses.filter((each) => each === status).length;
      // The limit of an hour refuses six; it counted the activation of `recent`.
      assert.deepEqual([count(200), count(403), count(429)], [1, 13, 6]);
      assert.equal((await boundTo(licenseKey)).length, 2);
      assert.equal((await releasesOf(licenseKey)).length, 1);
    });

    it('give two slots to two machines that ask at once, and take the last free one into account', async () => {
      const { licenseKey } = await fullLicense(20);
      await update(app, licenseKey, { maxMachines: 3 });
      const machines = Array.from({ length: 6 }, (_, index) => new Machine(app, licenseKey, `new-${index}`));
      await fillPool(app);
      const statuses = (await Promise.all(machines.map((machine) => machine.activate()))).map(({ status }) => status);
      assert.deepEqual(statuses.sort(), [200, 200, 200, 403, 403, 403]);
      assert.equal((await releasesOf(licenseKey)).length, 2);
      assert.ok((await boundTo(licenseKey)).every((fingerprint) => fingerprint.startsWith('new-')));
    });

    it('make room for a machine that gets its file from an operator', async () => {
      const { licenseKey } = await fullLicense(20);
      const order = { licenseKey, machineFingerprint: 'far', hostname: 'Far away' };
      assert.equal((await mustSucceed(app.admin('/createLicenseFile', order))).machinesUsed, 2);
      assert.deepEqual(await boundTo(licenseKey), ['far', 'recent']);
      const [event] = await releasesOf(licenseKey);
      assert.deepEqual([event.after, event.actor.kind], [{ reason: 'idle' }, 'operator']);
    });

    it('are foreseen by /explainLicense, which releases none', async () => {
      const { licenseKey } = await fullLicense(20);
      const check = checkIn(await explain(app, { licenseKey, machineFingerprint: 'new' }), '/activate');
      assert.equal(check.outcome, 'ok');
      assert.equal(
        check.sentence,
        'Every slot is taken, but "host of old", last seen 20 days ago, has been idle longer than the license allows: ' +
          'it makes room for the machine.',
      );
      assert.deepEqual(await boundTo(licenseKey), ['old', 'recent']);
    });
  });
