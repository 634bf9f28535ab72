/** Maximum of machines of a license with a file that they fetched (rules 11.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { uncountOldLicenseFiles } from '../../../src/licensing/license-files/tidying-store.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { assertRefused, update } from '../../support/answers.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { tidy } from '../../support/tidy.ts';
import { fetchFile } from './reading.ts';

/** Activation attempts of a license per hour. */
const ATTEMPTS = 15;

/** This many machines bound to one license, which has fewer slots afterwards. */
async function crowd(app: TestApp, number: number, slots: number, order: Readonly<Record<string, unknown>> = {}) {
  const licenseKey = await app.license({ maxMachines: -1, ...order });
  const machines: Machine[] = [];
  for (let index = 0; index < number; index += 1) {
    if (index % ATTEMPTS === 0) await mustSucceed(app.admin('/liftActivationLimit', { licenseKey }));
    machines.push(await new Machine(app, licenseKey, `machine ${index}`).activated());
  }
  await update(app, licenseKey, { maxMachines: slots });
  return machines;
}

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);

for (const engine of engines)
  describe(`the files that machines of a license fetch on ${engine}`, () => {
    const app = startedApp(engine);

    async function fetchAll(machines: readonly Machine[]): Promise<Answer[]> {
      const answers: Answer[] = [];
      for (const machine of machines) answers.push(await fetchFile(machine));
      return answers;
    }

    for (const [slots, most] of [
      [1, 3],
      [2, 4],
      [5, 10],
    ] as const)
      it(`are those of ${most} machines at most where the license has ${slots} slots`, async () => {
        const machines = await crowd(app, most + 2, slots);
        const answers = await fetchAll(machines);
        assert.deepEqual(statusesOf(answers), [...Array(most).fill(200), 403, 403]);
        const [
          {
            body: { expiresAt },
          },
        ] = answers as [Answer];
        const refused = answers.at(-1) as Answer;
        assertRefused(refused, 403, `Too many license files are in use. Try again after ${expiresAt}`);
        assert.equal(refused.headers['latchkey-code'], 'too_many_license_files');
        const wait = Math.ceil((Date.parse(expiresAt) - app.clock.now()) / 1000);
        assert.equal(refused.headers['retry-after'], String(wait));
      });

    it('are renewed by machines that have one, however many others have', async () => {
      const machines = await crowd(app, 4, 1);
      await fetchAll(machines);
      app.clock.move(DAY_MS);
      assert.deepEqual(statusesOf(await fetchAll(machines)), [200, 200, 200, 403]);
    });

    it('hold their place until they expire, also when the machine is gone', async () => {
      const machines = await crowd(app, 5, 1);
      const [first, second, third, fourth, fifth] = machines as [Machine, Machine, Machine, Machine, Machine];
      await fetchAll([first, second]);
      app.clock.move(10 * DAY_MS);
      await fetchAll([third]);
      await first.deactivate();
      assert.equal((await fetchFile(fourth)).status, 403);
      app.clock.move(20 * DAY_MS - 1000);
      for (const machine of machines) await machine.validate();
      assert.equal((await fetchFile(fourth)).status, 403);
      app.clock.move(1000);
      // Tokens have expired like the files.
      for (const machine of [second, fourth, fifth]) await machine.activated();
      assert.deepEqual(statusesOf(await fetchAll([fourth, fifth, second])), [200, 200, 403]);
    });

    it('are as many as there are machines where the license has no limit', async () => {
      const machines = await crowd(app, 12, -1);
      assert.deepEqual(statusesOf(await fetchAll(machines)), Array(12).fill(200));
    });

    it('count the seats of a floating license', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1, maxMachines: 50 });
      const statuses: number[] = [];
      for (let index = 0; index < 4; index += 1) {
        const machine = await new Machine(app, licenseKey, `machine ${index}`).activated();
        statuses.push((await fetchFile(machine)).status);
        await machine.deactivate();
      }
      assert.deepEqual(statuses, [200, 200, 200, 403]);
    });

    it('are exactly as many as may be when 60 machines ask at once', async () => {
      const machines = await crowd(app, 60, 10);
      await fillPool(app);
      const answers = await Promise.all(machines.map(fetchFile));
      assert.equal(answers.filter(({ status }) => status === 200).length, 20);
      assert.equal(answers.filter(({ status }) => status === 403).length, 40);
      const { count } = await mustSucceed(app.admin('/listLicenseFiles', { licenseKey: machines[0]?.licenseKey }));
      assert.equal(count, 20);
    });

    it('are exactly as many where tidying counts them out while machines ask', async (test) => {
      const machines = await crowd(app, 40, 10);
      await fetchAll(machines.slice(0, 20));
      app.clock.move(32 * DAY_MS);
      const { licenseKey } = machines[0] as Machine;
      for (const [index, machine] of machines.entries()) {
        if (index % ATTEMPTS === 0) await mustSucceed(app.admin('/liftActivationLimit', { licenseKey }));
        await machine.activated();
      }
      const storage = await openStorage(app.database);
      test.after(() => storage.close());
      await fillPool(app);
      const tidied = storage.transaction((tx) => uncountOldLicenseFiles(tx, app.clock.at(-DAY_MS), 200));
      const answers = await Promise.all(machines.map(fetchFile));
      await tidied;
      assert.equal(answers.filter(({ status }) => status === 200).length, 20);
      assert.equal((await fetchFile(machines[0] as Machine)).status, answers[0]?.status);
    });

    it('are forgotten 90 days after they expired, and not those that never expire', async (test) => {
      const machine = await new Machine(app, await app.license()).activated();
      const { licenseKey } = machine;
      await fetchFile(machine);
      await mustSucceed(app.admin('/createLicenseFile', { licenseKey, anyMachine: true, forever: true }));
      const storage = await openStorage(app.database);
      test.after(() => storage.close());
      const left = async () => (await mustSucceed(app.admin('/listLicenseFiles', { licenseKey }))).count;
      const tidyLater = (days: number) =>
        tidy(
          storage,
          believingEvery(() => app.clock.now() + days * DAY_MS),
        );
      await tidyLater(29 + 90);
      assert.equal(await left(), 2);
      await tidyLater(30 + 90);
      assert.equal(await left(), 1);
      await tidyLater(4000 + 90);
      assert.equal(await left(), 1);
    });
  });
