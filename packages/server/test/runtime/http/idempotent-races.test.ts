/** An Idempotency-Key whose row is removed, because it is a day old, just when the call is repeated. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../src/ground/base/clock.ts';
import type { Outcome } from '../../../src/platform/endpoint/outcome.ts';
import { deriveSealingKeys } from '../../../src/platform/kept-replies/seal.ts';
import type { Call } from '../../../src/runtime/dispatch/call.ts';
import { runIdempotently } from '../../../src/runtime/dispatch/idempotency.ts';
import { StorageBusy, statement, type Tx } from '../../../src/storage/contract/storage.ts';
import { ruleContextOf, SETTINGS } from '../../support/contexts.ts';
import { freshStorage } from '../../support/storages.ts';

const removeAll = statement('test_reply_races.remove_all', 'delete from idempotent_reply');
const insertOld = statement(
  'test_reply_races.insert_old',
  `insert into idempotent_reply (caller, idempotency_key, status, reply, created_at)
   select 'admin', idempotency_key, 200, '', '' from (select $1 as idempotency_key) k
   on conflict (caller, idempotency_key) do nothing`,
);
const findKey = statement('test_reply_races.find_key', 'select idempotency_key as "key" from idempotent_reply');

const call: Call = {
  path: '/createLicense',
  credential: { kind: 'admin' },
  read: { fields: {} },
  requestContext: { requestId: 'test', now: systemClock(), country: null, address: '192.0.2.1' },
  idempotency: { key: 'raced', requestHash: 'hash' },
};
const by = {
  caller: { kind: 'admin' },
  ruleContext: {
    ...ruleContextOf(),
    settings: { ...SETTINGS, sealingKeys: deriveSealingKeys(['the-admin-secret-of-this-test']) },
  },
} as const;

// SQLite has one writer, so nothing is removed in between.
describe('the row of an Idempotency-Key on postgres', () => {
  for (const [removals, what] of [
    [1, 'is claimed again, so that the answer is kept'],
    [3, 'is given up with 503 when it vanishes again and again, and nothing is acted on'],
  ] as const)
    it(`that is removed between its claim and the check ${what}`, async (test) => {
      const { storage } = await freshStorage('postgres', test);
      let acted = 0;
      const run = async (): Promise<Outcome<string>> => {
        acted++;
        return { status: 200, body: '{"success":true}' };
      };
      const keyed = (tx: Tx) => runIdempotently(tx, call, call.idempotency!, by, run);
      await storage.transaction(keyed);
      const [row] = await storage.read((sql) => sql.all<{ key: string }>(findKey));
      await storage.transaction((tx) => tx.run(removeAll));
      await storage.transaction((tx) => tx.run(insertOld, row!.key));
      acted = 0;

      let removed = 0;
      const raced = storage.transaction((tx) =>
        keyed({
          all: (asked, ...values) => tx.all(asked, ...values),
          async first(asked, ...values) {
            if (asked.name === 'idempotent_reply.find' && removed < removals) {
              removed++;
              await storage.transaction((other) => other.run(removeAll));
              const found = await tx.first(asked, ...values);
              if (removed < removals) await storage.transaction((other) => other.run(insertOld, row!.key));
              return found as never;
            }
            return tx.first(asked, ...values);
          },
          run: (asked, ...values) => tx.run(asked, ...values),
          runLast: (asked, ...values) => tx.runLast(asked, ...values),
          publish: (topic, message) => tx.publish(topic, message),
          afterwards: (effect) => tx.afterwards(effect),
        }),
      );
      if (removals === 3) {
        await assert.rejects(raced, StorageBusy);
        assert.equal(acted, 0);
        return;
      }
      assert.equal((await raced).status, 200);
      assert.deepEqual((await storage.transaction(keyed)).body, '{"success":true}');
      assert.equal(acted, 1);
    });
});
