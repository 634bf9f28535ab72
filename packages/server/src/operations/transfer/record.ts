/** The rules of import for each kind of line: fields, identity, look-up and insertion. */
import type { TObject } from 'typebox';
import type { Origin } from '../../platform/events/event.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { StoredRow, Table } from '../../storage/contract/table.ts';

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

/** Reads some rows after the last one read; null at the start. */
export type Page = (sql: Sql, last: StoredRow | null, limit: number) => Promise<readonly Readonly<StoredRow>[]>;

/** The stored rows behind a kind of line. */
interface Exported {
  /** The name of the table. */
  readonly table: string;
  /** The fields of a line, in order. A line with any other field is refused, because that is probably a mistake. */
  readonly shape: TObject;
  /** Reads the rows if only some of the table are exported; by default all rows, in the order of the primary key. */
  readonly page?: Page;
  /** The line of a row. */
  line(row: Readonly<StoredRow>, sql: Sql): object | Promise<object>;
}

/**
 * Lines with the fields of a table's rows.
 *
 * @param _leftOut why lines do without a field of the rows; the compiler asks for each that the shape does not have
 * @param instead values that a line has instead of those of the row, or in addition to them
 */
export function fromTable<Row extends object, Shape extends TObject>(
  table: Table<Row>,
  shape: Shape,
  _leftOut: Readonly<Record<Exclude<keyof Row, keyof Shape['properties']>, string>>,
  instead: (row: Row, sql: Sql) => object | Promise<object> = () => ({}),
): Exported {
  const names = Object.keys(shape.properties);
  return {
    table: table.name,
    shape,
    async line(stored, sql) {
      const row = table.fromColumns(stored);
      const values = { ...row, ...(await instead(row, sql)) } as Readonly<Record<string, unknown>>;
      return Object.fromEntries(names.map((name) => [name, values[name]]));
    },
  };
}

/**
 * Keys beside the id that two lines cannot share, such as the code of a seat. {@link Existing.refusal} compares them
 * with the database; lines of one file are compared with each other here, because a dry run adds none of them.
 */
export interface Claims<Content> {
  keysOf(content: Content): readonly string[];
  /** The refusal of a line with a key of an earlier line. */
  readonly taken: string;
}

/** A kind of line. */
export interface RecordKind<Content> extends Exported {
  /** The refusal of a line without a required field. */
  readonly missing: string;
  /** What one line alone may have; only for kinds with more such keys than the id. */
  readonly claims?: Claims<Content>;
  /** Converts parsed fields to content, or returns their fault. @param now time of the import, a timestamp */
  content(fields: Readonly<Record<string, unknown>>, now: string): { id: string; content: Content } | { fault: string };
  /** Loads the data for a batch; in a writing transaction, under the necessary locks. */
  loadExisting(sql: Sql, tx: Tx | null, given: readonly Content[], planned: PlannedRecords): Promise<Existing<Content>>;
  /**
   * The refusal of a line whose identifier is another one than that of existing content, although both have one form
   * for look-ups; null when the two are one.
   */
  confused?(given: Content, known: Content): string | null;
  /** Adds new content. */
  readonly add: (tx: Tx, contents: readonly Content[], origin: Origin) => Promise<void>;
}
