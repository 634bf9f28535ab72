/** Notes on licenses as lines. */
import Type from 'typebox';
import { NOTE_CHARACTERS } from '../../licensing/licenses/admin/add-note.ts';
import { importNotes } from '../../licensing/licenses/import.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { licenseKeyField, text, timestamp } from '../../platform/endpoint/field-types.ts';
import type { Note } from '../../platform/events/note.ts';
import { listNotesOfAll, listNotesOfLicenses, type NumberedNote } from '../../platform/events/note-store.ts';
import { licensesOf, NO_LICENSE } from './license-records.ts';
import type { RecordKind } from './record.ts';

/**
 * Longer than a new note, because a pseudonym can be longer than the address it replaced, which may have only three
 * characters.
 */
const LONGEST_NOTE = 10 * NOTE_CHARACTERS;

/** The content of a note line. The line's noteId is not compared, because one note can have several ids. */
interface NoteContent extends Omit<Note, 'noteId'> {
  readonly givenId: string | null;
}

const noteKey = ({ licenseKey, text: said, at, by }: Omit<Note, 'noteId'>) =>
  JSON.stringify([licenseKey, at, by, said]);
const idKey = ({ licenseKey, givenId }: NoteContent) => JSON.stringify([licenseKey, givenId]);

export const noteRecords: RecordKind<NoteContent> = {
  table: 'event',
  page: (sql, last, limit) => listNotesOfAll(sql, last as NumberedNote | null, limit),
  line: ({ licenseKey, noteId, text: said, at, by }) => ({ licenseKey, noteId, text: said, at, by }),
  shape: Type.Object({
    licenseKey: licenseKeyField,
    noteId: Type.Optional(text('Identifier of the note.')),
    text: text('The note.', LONGEST_NOTE),
    at: timestamp('When it was written.'),
    by: text('Who wrote it.'),
  }),
  missing: 'lacks licenseKey, text, at or by',
  content(fields) {
    const { noteId = null, ...given } = fields as Omit<Note, 'noteId'> & Partial<Note>;
    const content = { ...given, licenseKey: storedLicenseKey(given.licenseKey), givenId: noteId };
    return { id: noteKey(content), content };
  },
  async loadExisting(sql, tx, given, planned) {
    const licenses = await licensesOf(sql, tx, given);
    const keys = new Set(licenses.map(({ licenseKey }) => licenseKey));
    const wanted = new Set(given.map(noteKey));
    const wantedIds = new Set(given.map(idKey));
    const present = new Map<string, NoteContent>();
    const ofId = new Map<string, NoteContent>();
    for await (const notes of listNotesOfLicenses(sql, licenses))
      for (const { licenseKey, noteId, text: said, at, by } of notes) {
        const known = { licenseKey, text: said, at, by, givenId: noteId };
        if (wanted.has(noteKey(known))) present.set(noteKey(known), known);
        if (wantedIds.has(idKey(known))) ofId.set(idKey(known), known);
      }
    // A note from which an address was removed must not return from a file that still contains the address.
    for (const content of given) {
      const known = content.givenId === null ? undefined : ofId.get(idKey(content));
      if (known !== undefined && !present.has(noteKey(content))) present.set(noteKey(content), known);
    }
    return {
      present,
      refusal: ({ licenseKey }) => (keys.has(licenseKey) || planned.has('license', licenseKey) ? null : NO_LICENSE),
    };
  },
  claims: {
    keysOf: (content) => (content.givenId === null ? [] : [idKey(content)]),
    taken: 'a line before it has the same noteId and says something else',
  },
  add: (tx, notes, origin) =>
    importNotes(
      tx,
      notes.map(({ givenId, ...note }) => ({ ...note, noteId: givenId })),
      origin,
    ),
};
