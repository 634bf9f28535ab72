/** Reads and writes the rows of any table in primary key order, given only its shape. */
import { type Sql, type Statement, type Tx, tableOf, type Value, type WriteStatement } from '../contract/storage.ts';
import type { TableShape } from './table-shape.ts';

/** The values of a row in the order of the shape's columns. */
export type Row = readonly Value[];

/** The values of a primary key, in its order. */
export type Key = readonly Value[];

/** The statements of one table. Both engines compare text by its bytes, so both return pages in the same order. */
export class TableRows {
  readonly shape: TableShape;
  readonly #names: readonly string[];
  readonly #keyPlaces: readonly number[];
  readonly #firstPage: Statement;
  readonly #nextPage: Statement;
  readonly #insert: WriteStatement;

  constructor(shape: TableShape) {
    this.shape = shape;
    this.#names = shape.columns.map(({ name }) => name);
    this.#keyPlaces = shape.primaryKey.map((name) => this.#names.indexOf(name));
    const { name, primaryKey } = shape;
    const columns = this.#names.join(', ');
    const key = primaryKey.join(', ');
    const marks = primaryKey.map((_, index) => `$${index + 1}`);
    // Only shapes are known here, so these are not among the service's statements; a test reads their plans.
    this.#firstPage = {
      name: `copy.first_page.${name}`,
      text: () => `select ${columns} from ${name} order by ${key} limit $1`,
      needsTransaction: false,
    };
    this.#nextPage = {
      name: `copy.next_page.${name}`,
      text: () =>
        `select ${columns} from ${name} where (${key}) > (${marks.join(', ')}) order by ${key} limit $${marks.length + 1}`,
      needsTransaction: false,
    };
    const types = Object.fromEntries(shape.columns.map((column) => [column.name, column.type]));
    this.#insert = {
      name: `copy.insert.${name}`,
      text: (dialect) => `insert into ${name} (${columns}) select ${columns} from ${dialect.table('$1', types)} r`,
      needsTransaction: true,
    };
  }

  /** The statements of the table, for the test that reads their plans. */
  get statements(): readonly (Statement | WriteStatement)[] {
    return [this.#firstPage, this.#nextPage, this.#insert];
  }

  /** The rows after a key in rising order; from the first row if the key is null. */
  async page(sql: Sql, after: Key | null, limit: number): Promise<readonly Row[]> {
    const rows =
      after === null
        ? await sql.all<Record<string, Value>>(this.#firstPage, limit)
        : await sql.all<Record<string, Value>>(this.#nextPage, ...after, limit);
    return rows.map((row) => this.#names.map((name) => row[name] as Value));
  }

  /** The primary key of a row. */
  keyOf(row: Row): Key {
    return this.#keyPlaces.map((place) => row[place] as Value);
  }

  /** Inserts rows that do not exist yet. */
  async insert(tx: Tx, rows: readonly Row[]): Promise<void> {
    await tx.run(this.#insert, tableOf(rows));
  }
}
