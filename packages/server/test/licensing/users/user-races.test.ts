/** Seats of named users are exact for calls at once (rules 14.9). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HOUR_MS } from '../../../src/ground/base/clock.ts';
import { update } from '../../support/answers.ts';
import { type Answer, startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { activateBy, activatedBy, deactivated, licenseForUsers, usersOf } from './using.ts';

function codesOf(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const codes = answers.map(({ status, headers }) => headers['latchkey-code'] ?? String(status));
  return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, each]) => [code, each.length]));
}

async function startNodes(engine: (typeof engines)[number], count: number) {
  const database = await freshDatabase(engine);
  const nodes: TestApp[] = [];
  for (let node = 0; node < count; node++) nodes.push(await startApp(engine, {}, database));
  return { database, nodes };
}

const PLACES = [
  ...engines.map((engine) => ({ title: `on ${engine}`, engine, count: 1 })),
  { title: 'on two nodes of one postgres', engine: 'postgres', count: 2 },
] as const;

for (const { title, engine, count } of PLACES)
  describe(`users at once ${title}`, () => {
    let database: TestDatabase;
    let nodes: readonly TestApp[];
    before(async () => {
      ({ database, nodes } = await startNodes(engine, count));
    });
    after(async () => {
      for (const node of nodes) await node.stop();
      await database.remove();
    });
    const on = (at: number) => nodes[at % nodes.length] as TestApp;

    it('get exactly the seats that the license has', async () => {
      await fillPool(...nodes);
      const licenseKey = await licenseForUsers(on(0), 5);
      const calls = Array.from({ length: 30 }, (_, at) =>
        activateBy(on(at), licenseKey, `user ${at}`, `machine ${at}`),
      );
      assert.deepEqual(codesOf(await Promise.all(calls)), { 200: 5, user_limit: 25 });
      assert.equal(Object.keys(await usersOf(on(0), licenseKey)).length, 5);
    });

    it('hand the seats over that float, never more than there are', async () => {
      await fillPool(...nodes);
      const licenseKey = await licenseForUsers(on(0), 3, { usersFloat: true });
      const tokens = await Promise.all(
        [0, 1, 2].map((at) => activatedBy(on(at), licenseKey, `user ${at}`, `machine ${at}`)),
      );
      const leaving = tokens.map((token, at) =>
        on(at).send('/deactivate', { licenseKey, machineFingerprint: `machine ${at}`, token }),
      );
      const coming = Array.from({ length: 20 }, (_, at) =>
        activateBy(on(at + 1), licenseKey, `new ${at}`, `new machine ${at}`),
      );
      await Promise.all(leaving.map((left) => mustSucceed(left)));
      const { 200: seated = 0 } = codesOf(await Promise.all(coming)) as { readonly 200?: number };
      const users = Object.values(await usersOf(on(0), licenseKey));
      assert.equal(users.length, seated);
      assert.ok(users.length <= 3, `${users.length}`);
      assert.ok(users.every((machines) => machines === 1));
    });

    it('bind no more machines of one user than the user may have', async () => {
      await fillPool(...nodes);
      const licenseKey = await licenseForUsers(on(0), 5, { maxMachinesPerUser: 4 });
      const calls = Array.from({ length: 12 }, (_, at) => activateBy(on(at), licenseKey, 'Ada', `machine ${at}`));
      assert.deepEqual(codesOf(await Promise.all(calls)), { 200: 4, machine_limit: 8 });
      assert.deepEqual(await usersOf(on(0), licenseKey), { Ada: 4 });
    });

    it('keep the seats that they got, whoever takes the machine at once', async () => {
      await fillPool(...nodes);
      const licenseKey = await licenseForUsers(on(0), 12);
      const calls = Array.from({ length: 12 }, (_, at) => activateBy(on(at), licenseKey, `user ${at}`, 'machine'));
      assert.deepEqual(codesOf(await Promise.all(calls)), { 200: 12 });
      const machines = Object.values(await usersOf(on(0), licenseKey));
      assert.deepEqual(machines.sort(), [...Array(11).fill(0), 1]);
    });

    it('were seen on a machine that is given up at once', async () => {
      const licenseKey = await licenseForUsers(on(0), 2);
      const machineFingerprint = 'a1';
      const token = await activatedBy(on(0), licenseKey, 'ada', machineFingerprint);
      for (const node of nodes) node.clock.move(HOUR_MS);
      await fillPool(...nodes);
      const [seen] = await Promise.all([
        on(0).send('/validate', { licenseKey, machineFingerprint, token }),
        deactivated(on(0), licenseKey, machineFingerprint, token),
      ]);
      const { users } = await mustSucceed(on(0).admin('/listUsers', { licenseKey }));
      assert.equal(users[0].lastSeen, on(0).clock.at(seen.status === 200 ? 0 : -HOUR_MS));
    });

    it('get no seat back of a license that has fewer by now', async () => {
      const licenseKey = await licenseForUsers(on(0), 2, { usersFloat: true });
      const token = await activatedBy(on(0), licenseKey, 'ada', 'a1');
      await activatedBy(on(0), licenseKey, 'bo', 'b1');
      await update(on(0), licenseKey, { maxUsers: 1 });
      await fillPool(...nodes);
      await Promise.all([
        deactivated(on(0), licenseKey, 'a1', token),
        ...Array.from({ length: 3 }, (_, at) => activateBy(on(at), licenseKey, 'ada', 'a1')),
      ]);
      // In any order of the calls, the machine ends unbound: once its seat is free, nobody gets it back.
      assert.deepEqual(await usersOf(on(0), licenseKey), { bo: 1 });
    });

    it('try 15 times an hour each', async () => {
      await fillPool(...nodes);
      const licenseKey = await licenseForUsers(on(0), 5);
      const calls = Array.from({ length: 40 }, (_, at) =>
        activateBy(on(at), licenseKey, at % 2 === 0 ? 'ada' : 'bo', `machine of ${at % 2}`),
      );
      assert.deepEqual(codesOf(await Promise.all(calls)), { 200: 30, activation_rate: 10 });
    });
  });
