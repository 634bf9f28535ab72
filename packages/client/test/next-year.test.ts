/**
 * Today's client against the service of next year: other texts, more fields, codes and types of licenses it never saw.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refused, type TransportReply } from '../src/index.ts';
import { DAY_MS, type Fault, HOUR_MS, MINUTE_MS, startedWorld } from './support/world.ts';

const KNOWN_TYPE = 'per-machine';

/** An answer as the service of next year gives it. */
function ofNextYear(answer: TransportReply, licenseType: string): TransportReply {
  const body = JSON.parse(answer.text);
  const later = {
    ...body,
    ...('error' in body ? { error: `We are sorry (1): ${[...body.error].reverse().join('')}` } : {}),
    ...(body.licenseType === KNOWN_TYPE ? { licenseType } : {}),
    ...('status' in body ? { status: 'dormant' } : {}),
    sinceNextYear: { nested: [null, true, 'text'] },
  };
  return { ...answer, text: JSON.stringify(later) };
}

describe('the service of next year', () => {
  const world = startedWorld();

  const nextYear =
    (licenseType = KNOWN_TYPE): Fault =>
    async ({ url, body }) =>
      ofNextYear(await world.send(new URL(url).pathname, body), licenseType);

  it('refuses in other words, and the app does the same as with those of today', async () => {
    const lives: unknown[] = [];
    for (const fault of [null, nextYear()]) {
      const life: unknown[] = [];
      const machine = world.machine('one', await world.trust());
      const second = world.machine('two');
      machine.fault = second.fault = fault;
      const app = await machine.start();
      const codeOf = (error: unknown) => (error instanceof Refused ? error.code : String(error));
      const reported = async () =>
        life.push({ ...(await app.check()), facts: null, clock: null, until: null, since: null });
      const key = await world.server.license({ maxMachines: 1 });
      life.push(await app.activate('A-KEY').catch(codeOf));
      await app.activate(key);
      await reported();
      life.push(await (await second.start()).activate(key).catch(codeOf));
      const steps: readonly [string, object][] = [
        ['/revokeLicense', {}],
        ['/reinstateLicense', {}],
        ['/updateLicense', { expiresAt: '2020-01-01T00:00:00Z' }],
        ['/updateLicense', { expiresAt: null }],
        ['/resetActivations', {}],
      ];
      for (const [path, fields] of steps) {
        await world.server.admin(path, { licenseKey: key, ...fields });
        await world.pass(2 * HOUR_MS);
        await reported();
      }
      await second.app.activate(key).catch((error) => life.push(codeOf(error)));
      await app.deactivate();
      life.push(app.state.status);
      await second.app.activate(key);
      life.push(second.app.state.status);
      lives.push(life);
      world.forgetMachines();
    }
    assert.deepEqual(lives[1], lives[0]);
    assert.match(JSON.stringify(lives[0]), /license_not_found.*machine_limit.*license_revoked.*license_expired/);
  });

  it('sells a type of license that the app never saw: it is licensed, sends no heartbeats, and has its grace', async () => {
    for (const trust of [{}, await world.trust()]) {
      const machine = world.machine('new type', trust);
      machine.fault = nextYear('metered');
      const app = await machine.start();
      assert.equal((await app.activate(await world.server.license())).status, 'licensed');
      assert.equal(app.state.facts?.licenseType, 'metered');
      await world.pass(3 * DAY_MS);
      assert.equal(app.state.status, 'licensed');
      assert.equal(machine.asked.includes('/heartbeat'), false);
      machine.fault = () => {
        throw new Error('no connection');
      };
      assert.equal((await machine.start()).state.status, 'grace', 'what is stored is read, too');
      await world.pass(2 * DAY_MS);
      assert.equal(machine.app.mayRun, true);
    }
  });

  it('refuses for a reason that the app never heard of, which is an outage', async () => {
    const machine = world.machine('new code');
    const app = await machine.start();
    await app.activate(await world.server.license());
    machine.fault = () => ({
      status: 403,
      headers: { 'latchkey-code': 'license_paused' },
      text: JSON.stringify({ valid: false, success: false, error: 'License has been revoked' }),
    });
    await world.pass(MINUTE_MS);
    assert.equal((await app.check()).status, 'grace');
  });
});
