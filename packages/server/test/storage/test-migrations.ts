/** Migrations of the storage tests, which know nothing of the service's own tables. */
import { type Migration, migration } from '../../src/storage/migrations/migration.ts';

/** The tables that `tables.ts` has statements for. */
export const countersAndSamples: readonly Migration[] = [
  migration(
    1,
    'counters_and_samples',
    ({ text, integer, tableEnd }) => `
create table counter (name ${text} not null primary key, count ${integer} not null)${tableEnd};
create table sample (id ${integer} not null primary key, label ${text}, amount ${integer})${tableEnd};
create table parent (id ${integer} not null primary key)${tableEnd};
create table child (
  id ${integer} not null primary key,
  parent_id ${integer} not null references parent (id) deferrable initially deferred
)${tableEnd};
`,
  ),
];

const makeNotes = ({ text }: { text: string }) => `-- A comment; with a semicolon.
create table note (body ${text} not null primary key);
insert into note (body) values ('from the first; migration');`;

/** Makes a table with a row in it; `version` is its number. */
export const makeNotesAs = (version: number): Migration => migration(version, 'make_notes', makeNotes);

/** Adds a row to that table. */
export const addNoteAs = (version: number): Migration =>
  migration(version, 'add_note', () => "insert into note (body) values ('from the second migration');");
