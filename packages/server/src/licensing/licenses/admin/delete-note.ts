import Type from 'typebox';
import type { Scope } from '../../../platform/endpoint/caller.ts';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { licenseKeyField, success, text } from '../../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../../platform/endpoint/refusals.ts';
import { actorText } from '../../../platform/events/event.ts';
import { type Note, noteOf } from '../../../platform/events/note.ts';
import { deleteNote as deleteStoredNote, findNote, listNotesOfLicenses } from '../../../platform/events/note-store.ts';
import { changeLicense } from '../change.ts';
import type { License } from '../license.ts';
import { lockPredecessors } from '../replacement.ts';

const { licenseKey, noteId } = MADE_BY_SERVICE;

/** POST /deleteNote (rules 4.2). */
export const deleteNote = endpoint({
  path: '/deleteNote',
  access: 'admin',
  summary: 'Delete a note on a license',
  description:
    'Deletes the text of a note for good: it is in no list, export or event any more, and events that are yet to be ' +
    'sent come without it. Receivers and backups keep the texts that they have. The history still says that a note was ' +
    'written, and `license.note_deleted` says who deleted it. The operator deletes any note, a creator those that the ' +
    'creator wrote. The same note on the replaced keys of the license is deleted along.',
  example: {
    after: ['/addNote'],
    request: { licenseKey, noteId },
    reply: { success: true },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    noteId: text('The note, as /addNote answers it; in a history the id of its event.', 64),
  }),
  reply: success({}),
  refusals: ['license_not_found', 'note_not_found'],
}).write(async (tx, { fields, scope, origin }) => {
  const load = ({ licenseKey: stored }: License) => findNote(tx, stored, fields.noteId);
  let deleted: ReturnType<typeof noteOf> | undefined;
  const changed = await changeLicense(tx, origin, { licenseKey: fields.licenseKey, scope, load }, (_license, event) => {
    if (event === undefined || !mayDelete(noteOf(event), scope)) return refuse('note_not_found');
    deleted = noteOf(event);
    const { by, at } = deleted;
    return {
      type: 'license.note_deleted',
      entry: { subject: event.eventId, before: { by, at }, after: null },
    };
  });
  if (isRefusal(changed)) return changed;
  if (deleted === undefined) throw new Error('a note was deleted that was not found');
  await deleteStoredNote(tx, fields.noteId);
  const former = await lockPredecessors(tx, changed);
  for await (const notes of listNotesOfLicenses(tx, former))
    for (const { noteId, eventId } of notes) if (noteId === deleted.noteId) await deleteStoredNote(tx, eventId);
  return { success: true };
});

/**
 * The operator's notes are evidence, for example of fraud by a creator's license. They stay the operator's on a license
 * whose key a creator replaced.
 */
function mayDelete({ by }: Note, { creatorId }: Scope): boolean {
  return creatorId === null || by === actorText({ kind: 'creator', creatorId, keyName: '' });
}
