/** Closing a dispatcher: it first answers every accepted call, whether there are many or one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointsByPath, identify } from '../../../src/app.ts';
import type { Outcome } from '../../../src/platform/endpoint/outcome.ts';
import type { Call } from '../../../src/runtime/dispatch/call.ts';
import { createLocalDispatcher } from '../../../src/runtime/dispatch/local-dispatcher.ts';
import { Parties } from '../../../src/runtime/dispatch/parties.ts';
import { QueuedWork, queueWork } from '../../../src/runtime/dispatch/queued-work.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { requestContextAt, ruleContextOf } from '../../support/contexts.ts';
import { engines, freshDatabase } from '../../support/databases.ts';

const callOf = (path: string, fields: Readonly<Record<string, unknown>>, kind: 'none' | 'admin'): Call => ({
  path,
  credential: { kind },
  read: { fields },
  requestContext: requestContextAt(0),
  idempotency: null,
});

/** A call that is decided in a batch, and one that runs alone. */
const CALLS = {
  batch: callOf('/verify', { licenseKey: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE', productId: 'app' }, 'none'),
  alone: callOf('/getLicense', { licenseKey: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE' }, 'admin'),
};

for (const engine of engines)
  describe(`closing a dispatcher on ${engine}`, () => {
    for (const [name, call] of Object.entries(CALLS))
      for (const number of [1, 40])
        it(`answers ${number} under way first, and resolves then (${name})`, async (test) => {
          const { database } = await freshDatabase(engine, test);
          const storage = await openStorage(database);
          const ruleContext = ruleContextOf();
          const local = createLocalDispatcher(
            storage,
            { endpoints: endpointsByPath, identify, ruleContext },
            { batchesAtOnce: 1 },
          );
          const queuedWork = new QueuedWork({ atOnce: 4, maxWaiting: 100, longestWaitMs: null });
          const dispatcher = queueWork(local, endpointsByPath, queuedWork, new Parties());
          const outcomes: Outcome[] = [];
          for (let count = 0; count < number; count++) dispatcher.dispatch(call, (outcome) => outcomes.push(outcome));
          assert.equal(outcomes.length, 0, 'answered before the closing began');
          await dispatcher.close();
          assert.deepEqual(
            outcomes.map(({ status }) => status),
            Array(number).fill(404),
          );
        });
  });
