/** Deleting notes (rules 4.2.15). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listNotesOfAll } from '../../../../src/platform/events/note-store.ts';
import { assertRefused } from '../../../support/answers.ts';
import { operatorKey, signIn } from '../../../support/console.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { fillPool } from '../../../support/full-pool.ts';
import { startedWithStorage } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`/deleteNote on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    const add = async (licenseKey: string, text: string, send = app.admin): Promise<string> =>
      (await mustSucceed(send('/addNote', { licenseKey, text }))).note.id;
    const historyOf = async (licenseKey: string) =>
      (await mustSucceed(app.admin('/getLicense', { licenseKey, history: true }))).history.map(
        ({ event }: { event: { id: string; type: string; after: unknown; subject: string | null } }) => event,
      );

    it('removes the text everywhere, and keeps who wrote and who deleted it', async () => {
      const email = 'noted@example.com';
      const licenseKey = await app.license({ email });
      const first = await add(licenseKey, 'The first, wrong');
      const writtenAt = app.clock.at();
      const second = await add(licenseKey, 'The second');
      app.clock.move(60_000);
      assert.deepEqual(await mustSucceed(app.admin('/deleteNote', { licenseKey, noteId: first })), { success: true });
      const [deletion, kept, emptied, created] = await historyOf(licenseKey);
      assert.partialDeepStrictEqual(deletion, {
        ...{ type: 'license.note_deleted', subject: first, licenseNumber: 4, actor: { kind: 'operator' } },
        ...{ at: app.clock.at(), before: { by: 'operator', at: writtenAt }, after: null },
      });
      assert.partialDeepStrictEqual(kept, { id: second, after: { text: 'The second' } });
      assert.partialDeepStrictEqual(emptied, { id: first, type: 'license.noted', before: null, after: null });
      assert.equal(created.type, 'license.created');
      const listed = await mustSucceed(app.admin('/listEvents', { licenseKey, types: ['license.noted'] }));
      assert.deepEqual(
        listed.events.map(({ id }: { id: string }) => id),
        [second],
      );
      const { customer } = await mustSucceed(app.admin('/getCustomer', { email }));
      assert.deepEqual(
        customer.notes.map(({ text }: { text: string }) => text),
        ['The second'],
      );
      const exported = await storage.read((sql) => listNotesOfAll(sql, null, 1_000));
      assert.deepEqual(
        exported.filter((note) => note.licenseKey === licenseKey).map(({ text }) => text),
        ['The second'],
      );
      await mustSucceed(app.admin('/forgetCustomer', { email }));
      assert.equal((await historyOf(licenseKey)).length, 5);
    });

    it('is for the operator, and for the creator who wrote the note', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product());
      const [own, other] = [await add(licenseKey, 'Ours', creator.send), await add(licenseKey, 'Fraud?')];
      const stranger = await Creator.of(app);
      assertRefused(await stranger.send('/deleteNote', { licenseKey, noteId: own }), 404, 'License not found');
      assertRefused(await creator.send('/deleteNote', { licenseKey, noteId: other }), 404, 'Note not found');
      await mustSucceed(creator.send('/deleteNote', { licenseKey, noteId: own }));
      const last = await add(licenseKey, 'Ours, too', creator.send);
      const support = await signIn(app, { secret: await operatorKey(app, 'support', 'Sue') });
      assert.equal((await support.call('/deleteNote', { licenseKey, noteId: last })).status, 403);
      const owner = await signIn(app, { secret: await operatorKey(app, 'owner', 'Olga') });
      for (const noteId of [last, other]) await mustSucceed(owner.call('/deleteNote', { licenseKey, noteId }));
      const [newest] = await historyOf(licenseKey);
      assert.partialDeepStrictEqual(newest, { subject: other, actor: { kind: 'operator', keyName: 'Olga' } });
    });

    it('answers 404 for everything that is no note of the license', async () => {
      const [licenseKey, another] = [await app.license(), await app.license()];
      const [created] = await historyOf(licenseKey);
      const noteId = await add(licenseKey, 'A note');
      const unknown = 'evt_00000000-0000-7000-8000-000000000000';
      for (const id of [created.id, unknown, 'note', noteId.toUpperCase(), await add(another, 'Elsewhere')])
        assertRefused(await app.admin('/deleteNote', { licenseKey, noteId: id }), 404, 'Note not found');
      assert.equal((await historyOf(licenseKey)).length, 2);
      await mustSucceed(app.admin('/deleteNote', { licenseKey, noteId }));
      assertRefused(await app.admin('/deleteNote', { licenseKey, noteId }), 404, 'Note not found');
      assert.equal((await historyOf(licenseKey)).length, 3);
    });

    it('succeeds once, however many deletions of a note come at once', async () => {
      const licenseKey = await app.license();
      const noteId = await add(licenseKey, 'A note');
      await fillPool(app);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => app.admin('/deleteNote', { licenseKey, noteId })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(404)]);
      assert.equal((await historyOf(licenseKey)).length, 3);
    });
  });
