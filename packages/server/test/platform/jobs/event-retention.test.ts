/** Retention of events; notes are kept forever. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import { listEvents } from '../../../src/platform/events/listing-store.ts';
import { retentionStep } from '../../../src/platform/events/retention.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { freshStorage } from '../../support/storages.ts';
import { standingAt, tidy } from '../../support/tidy.ts';
import { eventAt, idsOf, insertAll } from '../events/events-of-rows.ts';

const NOW = Date.parse('2027-03-01T09:30:00.000Z');
const RETENTION_MS = 400 * DAY_MS;
const NOTED = { type: 'license.noted', after: { text: 'A note' } } as const;

type Numbered = { readonly licenseNumber: number };

for (const engine of engines)
  describe(`old events on ${engine}`, () => {
    const { app, storage: ofApp } = startedWithStorage(engine);

    it('are deleted after 400 days, deleted notes too, and other notes never', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const note = eventAt(NOW - 2 * RETENTION_MS, { ...NOTED, licenseKey: 'key' });
      const deleted = eventAt(NOW - 2 * RETENTION_MS, { ...NOTED, licenseKey: 'key', after: null });
      const young = eventAt(NOW - RETENTION_MS, { type: 'license.created' });
      const old = Array.from({ length: 450 }, (_, index) =>
        eventAt(NOW - RETENTION_MS - 1 - index, { type: 'license.created' }),
      );
      await insertAll(storage, [note, deleted, young, ...old]);
      await tidy(storage, standingAt(NOW), { pauseMs: 0 });
      const left = await storage.read((sql) => listEvents(sql, { productIds: null }, null, 1000));
      assert.deepEqual(idsOf(left), idsOf([young, note]));
    });

    it('are looked at once, a bounded number at a time, however many notes are among them', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const noted = { ...NOTED, licenseKey: 'key' };
      const notes = Array.from({ length: 500 }, (_, index) => eventAt(NOW + index, noted));
      await insertAll(storage, notes);
      const step = retentionStep();
      const before = new Date(NOW + DAY_MS).toISOString();
      const work = () => storage.transaction((tx) => step(tx, before, 200));
      await assert.rejects(
        storage.transaction(async (tx) => {
          await step(tx, before, 200);
          throw new Error('rolled back');
        }),
      );
      assert.deepEqual([await work(), await work(), await work(), await work()], [200, 200, 100, 0]);
    });

    it('leave the notes of a license listed, and its later events, where the ones between are gone', async () => {
      const licenseKey = await app.license();
      const about = { licenseKey, licenseNumber: 0, productId: 'app' };
      const note = eventAt(app.clock.now() - 3 * RETENTION_MS, { ...NOTED, ...about });
      await insertAll(ofApp, [note]);
      app.clock.move(RETENTION_MS + 2 * MINUTE_MS);
      await app.admin('/updateLicense', { licenseKey, maxMachines: 5 });
      await tidy(ofApp, believingEvery(app.clock.now), { pauseMs: 0 });
      const { events } = (await app.admin('/listEvents', { licenseKey })).body;
      assert.deepEqual(
        events.map(({ type }: { type: string }) => type),
        ['license.updated', 'license.noted'],
      );
      const notes = (await app.admin('/listEvents', { licenseKey, types: ['license.noted'] })).body;
      assert.deepEqual([notes.count, notes.events[0].id], [1, note.eventId]);
    });

    it('leave the notes of a license in the order of its changes, page by page, where clocks disagreed', async () => {
      const licenseKey = await app.license();
      for (let note = 2; note <= 7; note++) {
        // Two servers write alternately, and one is two seconds behind.
        app.clock.move(note % 2 === 0 ? 2000 : -2000);
        await mustSucceed(app.admin('/addNote', { licenseKey, text: `Note ${note}` }));
      }
      const numbersOf = (events: Numbered[]) => events.map(({ licenseNumber }) => licenseNumber);
      const all = async (limit: number, filter = {}) =>
        numbersOf((await pagesOf(app.admin, '/listEvents', { licenseKey, limit, ...filter }, 'events')).flat());
      const noted = (limit: number) => all(limit, { types: ['license.noted'] });
      for (const limit of [1, 4]) assert.deepEqual(await noted(limit), [7, 6, 5, 4, 3, 2]);
      app.clock.move(RETENTION_MS + 2 * MINUTE_MS);
      await app.admin('/updateLicense', { licenseKey, maxMachines: 5 });
      await tidy(ofApp, believingEvery(app.clock.now), { pauseMs: 0 });
      for (const limit of [1, 4]) {
        assert.deepEqual(await noted(limit), [7, 6, 5, 4, 3, 2]);
        assert.deepEqual(await all(limit), [8, 7, 6, 5, 4, 3, 2]);
      }
      // The entry behind the cursor may be deleted before the next page is requested.
      const { nextCursor } = await mustSucceed(app.admin('/listEvents', { licenseKey, limit: 1 }));
      app.clock.move(RETENTION_MS + 2 * MINUTE_MS);
      await tidy(ofApp, believingEvery(app.clock.now), { pauseMs: 0 });
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey, cursor: nextCursor }));
      assert.deepEqual(numbersOf(events), [7, 6, 5, 4, 3, 2]);
    });
  });
