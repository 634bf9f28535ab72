/** Tidying concurrent with transactions that write the rows it is about to touch. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS, HOUR_MS, systemClock, toTimestamp } from '../../../src/ground/base/clock.ts';
import { issueLicense } from '../../../src/licensing/licenses/issue.ts';
import { lockLicense, updateLicenses } from '../../../src/licensing/licenses/store.ts';
import { statement, type Tx } from '../../../src/storage/contract/storage.ts';
import { originAt } from '../../support/origin.ts';
import { freshStorage } from '../../support/storages.ts';
import { standingAt, tidy } from '../../support/tidy.ts';
import { unrecorded } from '../../support/unrecorded.ts';

const NOW = systemClock();
const insertReply = statement(
  'test_races.insert_reply',
  `insert into idempotent_reply (caller, idempotency_key, status, reply, created_at) values ('admin', $1, 200, '', $2)`,
);
const renewReply = statement(
  'test_races.renew_reply',
  'update idempotent_reply set created_at = $2 where idempotency_key = $1',
);
const listReplies = statement('test_races.list_replies', 'select idempotency_key as "name" from idempotent_reply');
const findMark = statement('test_races.find_mark', 'select status_mark as "mark" from license where license_key = $1');

// SQLite has one writer, so no other transaction is open.
describe('tidying on postgres beside a transaction that has changed a row and not committed yet', () => {
  /** Runs a round while `change` is made but not committed; returns the rows that the round touched. */
  async function tidyBeside(
    test: TestContext,
    prepare: (tx: Tx) => Promise<unknown>,
    change: (tx: Tx) => Promise<unknown>,
  ) {
    const { storage } = await freshStorage('postgres', test);
    await storage.transaction(prepare);
    const changed = Promise.withResolvers<void>();
    const tidied = Promise.withResolvers<void>();
    const changing = storage.transaction(async (tx) => {
      await change(tx);
      changed.resolve();
      await tidied.promise;
    });
    await changed.promise;
    const touched = await tidy(storage, standingAt(NOW)).finally(tidied.resolve);
    await changing;
    return { storage, touched };
  }

  it('neither waits for a new answer under an old key, nor deletes it', async (test) => {
    const { storage, touched } = await tidyBeside(
      test,
      async (tx) => {
        for (const name of ['renewed', 'old']) await tx.run(insertReply, name, toTimestamp(NOW - DAY_MS));
      },
      (tx) => tx.run(renewReply, 'renewed', toTimestamp(NOW)),
    );
    assert.equal(touched, 1);
    assert.deepEqual(await storage.read((sql) => sql.all(listReplies)), [{ name: 'renewed' }]);
  });

  it('neither waits for a license that is extended, nor marks it', async (test) => {
    let licenseKey = '';
    const { storage, touched } = await tidyBeside(
      test,
      async (tx) => {
        const order = { email: 'ada@example.com', productId: 'app', expiresAt: toTimestamp(NOW - HOUR_MS) };
        ({ licenseKey } = await issueLicense(tx, order, originAt(NOW - DAY_MS)));
      },
      async (tx) => {
        const license = await lockLicense(tx, licenseKey, { creatorId: null });
        assert.ok(license);
        await updateLicenses(unrecorded(tx), [{ ...license, expiresAt: toTimestamp(NOW + HOUR_MS) }], NOW);
      },
    );
    assert.equal(touched, 0);
    assert.deepEqual(await storage.read((sql) => sql.first(findMark, licenseKey)), { mark: 'active' });
  });
});
