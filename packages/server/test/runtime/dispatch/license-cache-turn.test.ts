/**
 * The cache of licenses is never older than an acknowledged change. The writer thread announces a commit by a message,
 * and a license is cached in the same turn of the event loop in which it was selected. No such message can be handled
 * in between, so a license that it evicts was either cached before or is selected after it.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { endpointsByPath } from '../../../src/app.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import type { LicenseCache } from '../../../src/licensing/client-endpoints/license-cache.ts';
import { mintLicenseKey } from '../../../src/licensing/licenses/license.ts';
import { insertLicenses } from '../../../src/licensing/licenses/store.ts';
import type { Sql } from '../../../src/storage/contract/storage.ts';
import { requestContextAt, ruleContextOf } from '../../support/contexts.ts';
import { aLicense } from '../../support/plain-license.ts';
import { freshStorage } from '../../support/storages.ts';
import { unrecorded } from '../../support/unrecorded.ts';

/** Messages handled so far: one is always on its way, as commits of a busy writer are. */
function countMessages(): { handled(): number; stop(): void } {
  const { port1, port2 } = new MessageChannel();
  let handled = 0;
  port2.on('message', () => {
    handled += 1;
    port1.postMessage(null);
  });
  port1.postMessage(null);
  return { handled: () => handled, stop: () => port1.close() };
}

describe('a license that /verify reads on SQLite', () => {
  it('is remembered before any message about a commit can be handled', async (test) => {
    const { storage } = await freshStorage('sqlite', test);
    const now = systemClock();
    const keys = Array.from({ length: 50 }, mintLicenseKey);
    await storage.transaction((tx) =>
      insertLicenses(
        unrecorded(tx),
        keys.map((licenseKey) => aLicense({ licenseKey })),
        now,
      ),
    );
    const work = endpointsByPath.get('/verify')?.work;
    assert.ok(work?.kind === 'batch' && work.batch.mode === 'read');
    const { bind, batch } = work;
    const messages = countMessages();
    test.after(() => messages.stop());

    let selectedAt: number | undefined;
    const rememberedAt: number[] = [];
    const licenseCache = { recall: () => undefined, remember: () => rememberedAt.push(messages.handled()) };
    const ruleContext = { ...ruleContextOf(), licenseCache: licenseCache as unknown as LicenseCache };
    const watching = (sql: Sql): Sql => ({
      all(statement, ...values) {
        selectedAt = messages.handled();
        return sql.all(statement, ...values);
      },
      first(statement, ...values) {
        selectedAt = messages.handled();
        return sql.first(statement, ...values);
      },
    });
    const calls = keys.map((licenseKey) => bind({ licenseKey }, requestContextAt(now)));
    while (messages.handled() === 0) await new Promise((resolve) => setImmediate(resolve));
    await storage.read((sql) => batch.run(watching(sql), calls, ruleContext));
    assert.equal(rememberedAt.length, keys.length);
    assert.deepEqual(new Set(rememberedAt), new Set([selectedAt]));
  });
});
