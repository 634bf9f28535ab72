/** What import knows of each kind of line: its fields, what it is known by, how it is found and how it is added. */
import type { TObject } from 'typebox';
import type { Origin } from '../events/event.ts';
import type { Sql, Tx } from '../storage/storage.ts';

/** A line that has the right form. */
export interface Given<Content> {
  /** What it is known by among its kind. */
  readonly id: string;
  /** All that it says, defaults filled in. */
  readonly content: Content;
  /** The fields that it said itself; those that it left to defaults agree with anything. */
  readonly said: readonly string[];
}

/** What lines before, in a dry run, would have added. */
export interface Pretended {
  has(kind: string, id: string): boolean;
}

/** What a batch of lines meets in the database. */
export interface Surroundings<Content> {
  /** What is there already, by id. */
  readonly present: ReadonlyMap<string, Content>;
  /** Why a line that is not there cannot be added; null when it can. */
  refusal(content: Content): string | null;
}

/** A kind of line. */
export interface RecordKind<Content> {
  /** Its fields; a line with another one is refused, because that is most likely a slip. */
  readonly shape: TObject;
  /** What is said of a line without a field that is required. */
  readonly missing: string;
  /** Makes the content of the fields that were read, or says what is wrong with them. @param now of the import, a timestamp */
  content(fields: Readonly<Record<string, unknown>>, now: string): { id: string; content: Content } | { fault: string };
  /** Looks up what a batch needs to know; in a transaction that is to write, under the locks that this takes. */
  surroundings(
    sql: Sql,
    tx: Tx | null,
    given: readonly Content[],
    pretended: Pretended,
  ): Promise<Surroundings<Content>>;
  /** Adds what is not there. */
  readonly add: (tx: Tx, contents: readonly Content[], origin: Origin) => Promise<void>;
}
