/** The commands for keys of session tokens, beside a running service. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { engines } from '../../support/databases.ts';
import { appFor } from '../../support/for-test.ts';
import { Machine } from '../../support/machine.ts';

const LIMIT = 15;

/** Runs a command to its end. */
const run = (args: readonly string[], database?: Database) =>
  runCommandHere(args, database === undefined ? {} : environmentOf(database));

describe('a command', () => {
  for (const args of [
    ['drop-token-key'],
    ['drop-token-key', 'one', 'two'],
    ['drop-token-key', 'one', '--lift'],
    ['drop-token-key', 'one', '--lift-activation-limits=yes'],
    ['list-token-keys', 'all'],
    ['rotate-token-keys', '--now'],
    ['migrate', 'now'],
    ['check', '-v'],
    ['lift-activation-limits', 'KEY'],
  ])
    it(`ends with 2 and says what may follow its name: ${args.join(' ')}`, async () => {
      const { code, out, err } = await run(args);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, new RegExp(`^Usage: latchkey ${args[0]}\\b`, 'm'));
    });
});

for (const engine of engines)
  describe(`the keys of session tokens on ${engine}`, () => {
    it('are listed with their use, without their secrets', async (test) => {
      const app = await appFor(test, engine);
      await run(['rotate-token-keys'], app.database);
      const { code, out } = await run(['list-token-keys'], app.database);
      assert.equal(code, 0);
      const [first = '', second = '', ...more] = out.trimEnd().split('\n');
      assert.deepEqual(more, []);
      assert.match(first, /^first +signs +from \d{4}-\S+Z$/);
      assert.match(second, /^[\w-]{16} +will sign +from \d{4}-\S+Z$/);
      // 32 bytes of secret are 43 characters.
      assert.doesNotMatch(out, /[\w-]{40}/);
    });

    it('are dropped by drop-token-key while the service runs, which lists the licenses that come back slowly', async (test) => {
      const app = await appFor(test, engine);
      const [crowded, full] = [
        await app.license({ licenseType: 'site', maxMachines: -1 }),
        await app.license({ licenseType: 'site', maxMachines: -1 }),
      ];
      const machines = Array.from({ length: LIMIT + 1 }, (_, index) => new Machine(app, crowded, `machine-${index}`));
      for (const machine of machines.slice(0, LIMIT)) {
        await machine.activated();
        await new Machine(app, full, machine.fingerprint).activated();
      }
      app.clock.move(HOUR_MS);
      await machines[LIMIT]?.activated();
      const dropped = await run(['drop-token-key', 'first'], app.database);
      assert.equal(dropped.code, 0, dropped.err);
      assert.match(dropped.out, /^Dropped first: /);
      assert.match(dropped.out, /It was the signing key; [\w-]{16} signs from now on\./);
      assert.match(dropped.out, new RegExp(`^${crowded}  16 machines  app$`, 'm'));
      assert.doesNotMatch(dropped.out, new RegExp(full));
      assert.doesNotMatch(dropped.out, /[\w-]{40}/);
      // A node starts by the machine's clock, which may be ahead of the test's.
      app.clock.move(2 * MINUTE_MS);
      for (const machine of machines) assert.equal((await machine.validate()).status, 401);

      // One attempt was already made in this hour.
      for (const machine of machines.slice(0, LIMIT - 1)) await machine.activated();
      assert.equal((await machines[LIMIT]!.activate()).status, 429);
      const lifted = await run(['lift-activation-limits'], app.database);
      assert.match(lifted.out, new RegExp(`^${crowded}  16 machines  app$`, 'm'));
      assert.match(lifted.out, /^Lifted the activation limit of 1 license /m);
      const back = await machines[LIMIT]!.activate();
      assert.deepEqual([back.status, back.body.machinesUsed], [200, LIMIT + 1]);
      assert.equal((await machines[LIMIT]!.validate()).status, 200);
    });

    it('are dropped with --lift-activation-limits, so that machines may return at once', async (test) => {
      const app = await appFor(test, engine);
      const crowded = await app.license({ licenseType: 'site', maxMachines: -1 });
      const machines = Array.from({ length: LIMIT + 1 }, (_, index) => new Machine(app, crowded, `machine-${index}`));
      for (const machine of machines.slice(0, LIMIT)) await machine.activated();
      app.clock.move(HOUR_MS);
      for (const machine of machines.slice(1)) await machine.activated();
      assert.equal((await machines[0]!.activate()).status, 429);
      const { code, out, err } = await run(['drop-token-key', '--lift-activation-limits', 'first'], app.database);
      assert.equal(code, 0, err);
      assert.match(out, /Their limit was lifted/);
      for (const machine of machines.slice(0, LIMIT)) await machine.activated();
      assert.equal((await machines[LIMIT]!.activate()).status, 429);
    });

    it('stay as they are where drop-token-key names none of them', async (test) => {
      const app = await appFor(test, engine);
      const { code, out, err } = await run(['drop-token-key', 'nobody'], app.database);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /^Database: .*\nThere is no key nobody. list-token-keys lists the existing keys\.\n$/);
      assert.match((await run(['list-token-keys'], app.database)).out, /^first +signs/);
    });
  });
