import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { remediesOf } from '../../../platform/events/events-of.ts';
import { assertRefused, inspect } from '../../../support/answers.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { fillPool } from '../../../support/full-pool.ts';
import { startedApp } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`/addNote on ${engine}`, () => {
    const app = startedApp(engine);

    it('keeps a note as an event of the license, and answers it', async () => {
      const licenseKey = await app.license();
      const shown = await inspect(app, licenseKey);
      const { note } = await mustSucceed(
        app.admin('/addNote', { licenseKey: ` ${licenseKey.toLowerCase()} `, text: 'Call.' }),
      );
      const [event, ...others] = await remediesOf(app.database, licenseKey);
      assert.deepEqual(others, []);
      assert.deepEqual(note, { id: event?.eventId, at: app.clock.at(), text: 'Call.', by: 'operator' });
      assert.deepEqual([event?.type, event?.before, event?.after], ['license.noted', null, { text: 'Call.' }]);
      assert.deepEqual(await inspect(app, licenseKey), shown);
    });

    it('says which creator wrote it', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product());
      const { note } = await mustSucceed(creator.send('/addNote', { licenseKey, text: 'Ours.' }));
      assert.equal(note.by, `creator:${creator.creatorId}`);
      const stranger = await Creator.of(app);
      assertRefused(await stranger.send('/addNote', { licenseKey, text: 'Mine?' }), 404, 'License not found');
      assert.equal((await remediesOf(app.database, licenseKey)).length, 1);
    });

    it('takes 1 to 2000 characters, and 400 for more', async () => {
      const licenseKey = await app.license();
      const longest = 'n'.repeat(2000);
      assert.equal((await mustSucceed(app.admin('/addNote', { licenseKey, text: longest }))).note.text, longest);
      const { status, body } = await app.admin('/addNote', { licenseKey, text: `${longest}n` });
      assert.deepEqual([status, body.error], [400, 'text must be a string of at most 2000 characters']);
      for (const text of [undefined, null, ''])
        assertRefused(await app.admin('/addNote', { licenseKey, text }), 400, 'Missing licenseKey or text');
      assert.equal((await remediesOf(app.database, licenseKey)).length, 1);
    });

    it('keeps a note once, however often it is sent with one Idempotency-Key', async () => {
      const licenseKey = await app.license();
      const send = () =>
        app.admin('/addNote', { licenseKey, text: 'Once.' }, { headers: { 'idempotency-key': `note-${licenseKey}` } });
      const answers = await Promise.all(Array.from({ length: 5 }, send));
      assert.equal(new Set(answers.map(({ body }) => body.note.id)).size, 1);
      assert.equal((await remediesOf(app.database, licenseKey)).length, 1);
    });

    it('numbers notes that come at once without a gap, and their ids have the order of their numbers', async () => {
      const licenseKey = await app.license();
      await fillPool(app);
      const texts = Array.from({ length: 30 }, (_, index) => `note ${index}`);
      const answers = await Promise.all(texts.map((text) => mustSucceed(app.admin('/addNote', { licenseKey, text }))));
      const events = await remediesOf(app.database, licenseKey);
      assert.deepEqual(
        events.map(({ licenseNumber }) => licenseNumber),
        // The license itself is the first entry.
        texts.map((_, index) => index + 2),
      );
      assert.deepEqual(
        events.map(({ eventId }) => eventId),
        answers.map(({ note }) => note.id).sort(),
      );
      assert.deepEqual(new Set(events.map(({ after: facts }) => facts?.text)), new Set(texts));
    });
  });
