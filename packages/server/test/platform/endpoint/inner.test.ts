/** Inner endpoints: the author of their changes is the one that they name, and nobody reaches them from outside. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import Type from 'typebox';
import { dispatchedByPath, endpoints, identify } from '../../../src/app.ts';
import { eventFields } from '../../../src/commerce/storefront/event.ts';
import { completePurchase } from '../../../src/commerce/storefront/purchase.ts';
import { webhookReplySchema } from '../../../src/commerce/storefront/reply.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { text } from '../../../src/platform/endpoint/field-types.ts';
import { inner } from '../../../src/platform/endpoint/inner.ts';
import { callsInside } from '../../../src/runtime/dispatch/inner-call.ts';
import { createLocalDispatcher } from '../../../src/runtime/dispatch/local-dispatcher.ts';
import { statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp } from '../../support/app.ts';
import { requestContextAt, ruleContextOf } from '../../support/contexts.ts';
import { engines, freshDatabase } from '../../support/databases.ts';

/** A purchase that a connector reports. */
const reportPurchase = inner(
  'reportPurchase',
  ({ connector }) => ({ kind: 'storefront', name: connector }),
  {
    fields: Type.Object({ connector: text('Its name.', 50), event: eventFields }),
    reply: webhookReplySchema,
  },
  ['license_not_found', 'duration_missing', 'event_id_reused'],
).write(async (tx, { fields: { event }, origin }) => completePurchase(tx, event, origin));

const listAuthors = statement(
  'test_inner.list_authors',
  `select e.type as "type", e.actor as "actor", e.actor_name as "actorName" from event e order by e.event_id limit 10`,
);

for (const engine of engines)
  describe(`an inner endpoint on ${engine}`, { timeout: 120_000 }, () => {
    const opened = (async () => {
      const { database, remove } = await freshDatabase(engine);
      const storage = await openStorage(database);
      const context = {
        endpoints: new Map([[reportPurchase.path, reportPurchase]]),
        identify,
        ruleContext: ruleContextOf(),
      };
      const dispatcher = createLocalDispatcher(storage, context as never, { batchesAtOnce: 1 });
      const callers: unknown[] = [];
      const call = callsInside(
        dispatcher,
        () => requestContextAt(systemClock()),
        ({ caller }) => callers.push(caller),
      );
      return { storage, dispatcher, call, callers, remove };
    })();
    after(async () => {
      const { dispatcher, remove } = await opened;
      await dispatcher.close();
      await remove();
    });

    it('records the author that its fields name', async () => {
      const { storage, call, callers } = await opened;
      const event = { type: 'purchase.completed', email: 'ada@example.com', productId: 'app', durationDays: 30 };
      const answer = await call(reportPurchase, { connector: 'Stripe', event });
      assert.ok('reply' in answer, JSON.stringify(answer));
      assert.equal(answer.reply.duplicate, false);
      const authors = await storage.read((sql) => sql.all(listAuthors));
      assert.ok(authors.length > 0);
      for (const each of authors)
        assert.deepEqual({ ...(each as object), type: '' }, { type: '', actor: 'storefront', actorName: 'Stripe' });
      assert.deepEqual(callers, [{ actor: 'storefront', keyName: 'Stripe' }]);
    });

    it('refuses bad fields before anything runs', async () => {
      const { call } = await opened;
      const bad = await call(reportPurchase, { connector: 'A\0B', event: {} });
      assert.equal('refusal' in bad && bad.refusal.refused, 'invalid_field');
      const none = await call(reportPurchase, {});
      assert.equal('refusal' in none && none.refusal.refused, 'missing_fields');
    });

    it('is not reached from outside', async () => {
      const app = await startApp(engine);
      try {
        const inside = [...dispatchedByPath.keys()].filter((path) => path.startsWith('/inner/'));
        assert.ok(inside.length > 0);
        for (const path of inside) assert.equal((await app.admin(path)).status, 404, path);
      } finally {
        await app.stop();
      }
    });
  });

describe('the paths of endpoints', () => {
  it('are unique, inner ones included', () => {
    const inside = [...dispatchedByPath.values()].filter(({ access }) => access === 'inner');
    assert.equal(dispatchedByPath.size, endpoints.length + inside.length);
    assert.equal(new Set(endpoints.map(({ path }) => path)).size, endpoints.length);
  });
});
