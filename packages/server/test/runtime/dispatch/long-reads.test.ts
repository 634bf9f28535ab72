/** Long reads in a thread that also answers the client endpoints: no two of their long steps run in one turn. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointsByPath, identify } from '../../../src/app.ts';
import { LongSteps } from '../../../src/ground/base/long-steps.ts';
import type { Outcome } from '../../../src/platform/endpoint/outcome.ts';
import type { Call } from '../../../src/runtime/dispatch/call.ts';
import { createLocalDispatcher } from '../../../src/runtime/dispatch/local-dispatcher.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { requestContextAt, ruleContextOf } from '../../support/contexts.ts';
import { engines, freshDatabase } from '../../support/databases.ts';

/** Counts the turns of the event loop until the test ends. */
function countTurns(test: { after(end: () => void): void }): { readonly number: number } {
  const turns = { number: 0 };
  let next: NodeJS.Immediate;
  const count = () => {
    turns.number += 1;
    next = setImmediate(count);
  };
  count();
  test.after(() => clearImmediate(next));
  return turns;
}

describe('long steps', () => {
  it('run in their order, one per turn, never in the turn that asked', async (test) => {
    const turns = countTurns(test);
    const steps = new LongSteps();
    const ran: [step: number, turn: number][] = [];
    const asked = turns.number;
    await Promise.all([1, 2, 3].map((step) => steps.turn().then(() => ran.push([step, turns.number]))));
    assert.deepEqual(
      ran.map(([step]) => step),
      [1, 2, 3],
    );
    const [first, second, third] = ran.map(([, turn]) => turn) as [number, number, number];
    assert.ok(asked < first && first < second && second < third, String([asked, first, second, third]));
  });
});

const callOf = (path: string, fields: Readonly<Record<string, unknown>>): Call => ({
  path,
  credential: { kind: 'admin' },
  read: { fields },
  requestContext: requestContextAt(0),
  idempotency: null,
});

/** As many rows as make a step long, with names that make the answer long. */
const LICENSES = 120;
const PRODUCT = 'p'.repeat(255);

for (const engine of engines)
  describe(`long lists on ${engine}`, () => {
    it('that arrive together are answered in a turn each', async (test) => {
      const { database } = await freshDatabase(engine, test);
      const dispatcher = createLocalDispatcher(
        await openStorage(database),
        { endpoints: endpointsByPath, identify, ruleContext: ruleContextOf() },
        { batchesAtOnce: 1, longSteps: new LongSteps() },
      );
      const ask = (call: Call) => new Promise<Outcome>((resolve) => dispatcher.dispatch(call, resolve));
      const variant = 'v'.repeat(255);
      await ask(callOf('/createVariant', { productId: PRODUCT, name: variant, maxMachines: 1 }));
      const license = callOf('/createLicense', { email: 'ada@example.com', productId: PRODUCT, variant });
      for (let count = 0; count < LICENSES; count += 1) assert.equal((await ask(license)).status, 200);

      const turns = countTurns(test);
      const answered: number[] = [];
      const list = callOf('/listLicenses', { productId: PRODUCT, limit: 1000 });
      const lists = Array.from({ length: 4 }, async () => {
        const { status, body } = await ask(list);
        answered.push(turns.number);
        return { status, count: JSON.parse(body as string).count };
      });
      assert.deepEqual(await Promise.all(lists), Array(4).fill({ status: 200, count: LICENSES }));
      assert.equal(new Set(answered).size, 4, `answered in the turns ${answered}`);
      await dispatcher.close();
    });
  });
