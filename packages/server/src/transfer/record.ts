/** The rules of import for each kind of line: fields, identity, look-up and insertion. */
import type { TObject } from 'typebox';
import type { Origin } from '../events/event.ts';
import type { Sql, Tx } from '../storage/storage.ts';

/** A well-formed line. */
export interface Given<Content> {
  /** Its identity within its kind. */
  readonly id: string;
  /** All of its fields, including defaults. */
  readonly content: Content;
  /** The fields that the line states; defaults match any existing value. */
  readonly said: readonly string[];
}

/** The lines that a dry run would have added so far. */
export interface PlannedRecords {
  has(kind: string, id: string): boolean;
}

/** The state of the database that a batch of lines depends on. */
export interface Existing<Content> {
  /** Existing content by id. */
  readonly present: ReadonlyMap<string, Content>;
  /** The reason why new content cannot be added; null when it can. */
  refusal(content: Content): string | null;
}

/** A kind of line. */
export interface RecordKind<Content> {
  /** Its fields; a line with any other field is refused, because that is probably a mistake. */
  readonly shape: TObject;
  /** The refusal of a line without a required field. */
  readonly missing: string;
  /** Converts parsed fields to content, or returns their fault. @param now time of the import, a timestamp */
  content(fields: Readonly<Record<string, unknown>>, now: string): { id: string; content: Content } | { fault: string };
  /** Loads the data for a batch; in a writing transaction, under the necessary locks. */
  loadExisting(sql: Sql, tx: Tx | null, given: readonly Content[], planned: PlannedRecords): Promise<Existing<Content>>;
  /** Adds new content. */
  readonly add: (tx: Tx, contents: readonly Content[], origin: Origin) => Promise<void>;
}
