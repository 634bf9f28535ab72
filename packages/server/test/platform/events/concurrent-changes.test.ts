/** Changes of one license that arrive at once are numbered from 1 without gaps, one event each. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { assertCounted, eventsOf, StoredRows } from './stored-changes.ts';

const MACHINES = 12;

/** Sends changes of all kinds at once, to any of the nodes; returns the number of calls that changed something. */
async function rush(nodes: readonly TestApp[], licenseKey: string): Promise<number> {
  const node = (index: number) => nodes[index % nodes.length] as TestApp;
  const bind = Array.from({ length: MACHINES }, (_, index) =>
    new Machine(node(index), licenseKey, `machine ${index}`).activate(),
  );
  const limits = Array.from({ length: 10 }, (_, index) =>
    node(index).admin('/updateLicense', { licenseKey, maxMachines: 100 + index }),
  );
  const reports = Array.from({ length: 4 }, (_, index) => node(index).admin('/liftActivationLimit', { licenseKey }));
  const answers = await Promise.all([...bind, ...limits, ...reports]);
  return answers.filter(({ status }) => status === 200).length;
}

for (const [name, engine, count] of [
  ...engines.map((engine) => [`one server on ${engine}`, engine, 1] as const),
  ['two servers on postgres', 'postgres', 2] as const,
])
  describe(`changes that arrive at once at ${name}`, () => {
    it('are numbered from 1 without gaps, each in one event', async (test) => {
      const database = await freshDatabase(engine);
      const nodes = await Promise.all(Array.from({ length: count }, () => startApp(engine, {}, database)));
      const rows = await StoredRows.of(database.database);
      test.after(async () => {
        await rows.close();
        await Promise.all(nodes.map((node) => node.stop()));
        await database.remove();
      });
      const [first] = nodes as [TestApp];
      const licenseKey = await first.license({ maxMachines: 100, licenseType: 'site' });
      await fillPool(...nodes);
      assert.ok((await rush(nodes, licenseKey)) >= MACHINES);
      const { license, event } = await rows.snapshot();
      const stored = [...license.values()].find((each) => each.license_key === licenseKey);
      const events = eventsOf({ license, event } as never, licenseKey);
      assertCounted(stored as NonNullable<typeof stored>, events);
      assert.equal(events.filter(({ type }) => type === 'activation.created').length, MACHINES);
      const { body } = await first.admin('/listEvents', { licenseKey });
      assert.deepEqual(
        body.events.map(({ licenseNumber }: { licenseNumber: number }) => licenseNumber),
        events.map(({ licenseNumber }) => licenseNumber).reverse(),
      );
      await mustSucceed(first.admin('/getLicense', { licenseKey }));
    });
  });
