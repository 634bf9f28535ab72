/**
 * The description of a table: the names and types of its columns, and the conversion between a field and its stored
 * value. Select lists, inserts, updates of several rows, rows and parameter values all derive from it, so that each
 * column is named in one place.
 */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import {
  type Dialect,
  type Statement,
  type StatementText,
  statement,
  tableOf,
  type Value,
  type WriteStatement,
  writeStatement,
} from './storage.ts';
import { parseStored } from './stored-json.ts';

/** A column that stores a field of type `Field`. */
export interface Column<Field> {
  readonly name: string;
  readonly type: 'text' | 'integer';
  store(field: Field): Value;
  /** Converts a stored value to the field; null if the stored value is the field itself. */
  readonly restore: ((stored: Value) => Field) | null;
  /** SQL that reads the field of the row `alias` in place of a stored column; absent for a stored one. */
  readonly computed?: (alias: string) => string;
}

/** The column of each field of a row. */
export type Columns<Row> = { readonly [Field in keyof Row]-?: Column<Row[Field]> };

/** A column that holds text, or null. */
export function textColumn<Field extends string | null>(name: string): Column<Field> {
  return { name, type: 'text', store: (field) => field, restore: null };
}

/** A column that holds a safe integer, or null. */
export function integerColumn<Field extends number | null>(name: string): Column<Field> {
  return { name, type: 'integer', store: (field) => field, restore: null };
}

/** A column that holds true or false as 1 or 0. */
export function flagColumn(name: string): Column<boolean> {
  return { name, type: 'integer', store: (field) => (field ? 1 : 0), restore: (stored) => stored === 1 };
}

/**
 * A column that holds a list or a record as JSON text.
 *
 * @param read converts the parsed value to the field; receives undefined if the column is not JSON; must not throw
 *   (stored-json.ts)
 */
export function jsonColumn<Field>(name: string, read: (stored: unknown) => Field): Column<Field> {
  return {
    name,
    type: 'text',
    store: (field) => JSON.stringify(field),
    restore: (stored) => read(parseStored(stored)),
  };
}

/**
 * A field that a select reads from another table and that no statement writes.
 *
 * @param text SQL of the value, of the row `alias`
 * @param read converts JSON text as {@link jsonColumn} does; receives undefined for null
 */
export function computedColumn<Field>(
  name: string,
  text: (alias: string) => string,
  read: (stored: unknown) => Field,
): Column<Field> {
  return {
    name,
    type: 'text',
    computed: text,
    store: () => {
      throw new Error(`${name} is computed and never stored`);
    },
    restore: (stored) => read(typeof stored === 'string' ? parseStored(stored) : undefined),
  };
}

/** A column that holds milliseconds since 1970 as a timestamp, or null. */
export function momentColumn<Field extends number | null>(name: string): Column<Field> {
  return {
    name,
    type: 'text',
    store: (moment) => (moment === null ? null : toTimestamp(moment)),
    restore: (stored) => (typeof stored === 'string' ? fromTimestamp(stored) : null) as Field,
  };
}

/**
 * A column that holds the id of a creator; that of the operator, null, is stored as '', so that an index finds all
 * rows of one owner.
 */
export function ownerColumn(name: string): Column<string | null> {
  return {
    name,
    type: 'text',
    store: (creatorId) => creatorId ?? '',
    restore: (stored) => (stored === '' ? null : (stored as string)),
  };
}

/** A column that holds a fractional number as decimal text, or null. */
export function decimalColumn(name: string): Column<number | null> {
  return {
    name,
    type: 'text',
    store: (field) => (field === null ? null : decimalText(field)),
    restore: (stored) => (stored === null ? null : Number(stored)),
  };
}

/** A number without an exponent: 1e-7 is 0.0000001. */
function decimalText(number: number): string {
  return number.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
}

/** A row as the database returns it. */
export type StoredRow = Record<string, Value>;

/**
 * Checks that a change leaves some fields as they are, because the statement that follows does not write them.
 *
 * @param unwritten the fields that the statement does not write
 * @throws when one of them differs: the change would be acknowledged and lost
 */
export function requireUnchanged(table: string, before: object, after: object, unwritten: readonly string[]): void {
  for (const field of unwritten)
    if (before[field as never] !== after[field as never])
      throw new Error(`a change of ${table} would lose its new ${field}`);
}

/** A description of a table whose rows are read as `Row`. */
export class Table<Row extends object> {
  readonly name: string;
  /** Every field, in the order of the columns. */
  readonly fields: readonly (keyof Row & string)[];
  /** Every field that a row stores: all but the computed ones. */
  readonly storedFields: readonly (keyof Row & string)[];
  readonly #columns: Columns<Row>;
  readonly #restored: readonly (readonly [field: string, restore: (stored: Value) => unknown])[];

  constructor(name: string, columns: Columns<Row>) {
    this.name = name;
    this.fields = Object.keys(columns) as (keyof Row & string)[];
    this.storedFields = this.fields.filter((field) => columns[field].computed === undefined);
    this.#columns = columns;
    this.#restored = this.fields.flatMap((field) => {
      const { restore } = columns[field];
      return restore === null ? [] : [[field, restore] as const];
    });
  }

  /** The select list of some fields under their own names; `alias` is the table's alias in the statement. */
  select(alias: string, fields: readonly (keyof Row & string)[] = this.fields): string {
    return fields
      .map((field) => {
        const { name, computed } = this.#columns[field];
        return `${computed?.(alias) ?? `${alias}.${name}`} as "${field}"`;
      })
      .join(', ');
  }

  /** Every field that is not named. A new column is among the rest, so a list of exceptions never forgets it. */
  except<Named extends keyof Row & string>(named: readonly Named[]): readonly Exclude<keyof Row & string, Named>[] {
    return this.fields.filter((field) => !(named as readonly string[]).includes(field)) as never;
  }

  /** The names of the columns of some stored fields. */
  columns(fields: readonly (keyof Row & string)[] = this.storedFields): readonly string[] {
    return fields.map((field) => this.#columns[field].name);
  }

  /**
   * Converts a row of {@link select}, of all fields or some, to an object. Changes the row in place, which is cheaper
   * than a copy: it came from the database and nobody else refers to it.
   */
  restore<Part extends Partial<Row> = Row>(row: StoredRow): Part {
    const restored: Record<string, unknown> = row;
    for (const [field, restore] of this.#restored) if (field in row) restored[field] = restore(row[field] as Value);
    return restored as Part;
  }

  /** Converts a row with the names of its columns, as one of a damaged file, to an object. */
  fromColumns(row: Readonly<StoredRow>): Row {
    const named = this.fields.map((field) => [field, row[this.#columns[field].name] as Value]);
    return this.restore(Object.fromEntries(named));
  }

  /** Converts the values of these fields, in their order, to an object of them. */
  fromValues<Field extends keyof Row & string>(fields: readonly Field[], values: readonly Value[]): Pick<Row, Field> {
    const row = Object.fromEntries(fields.map((field, index) => [field, values[index] as Value]));
    return this.restore<Partial<Row>>(row) as Pick<Row, Field>;
  }

  /** The value of a parameter that holds some fields of many rows; see {@link insert} and {@link update}. */
  rows<Field extends keyof Row & string>(rows: readonly Pick<Row, Field>[], fields: readonly Field[]): string {
    const columns = fields.map((field) => [field, this.#columns[field]] as const);
    return tableOf(rows.map((row) => columns.map(([field, column]) => column.store(row[field]))));
  }

  /** A sub-select that expands a parameter of {@link rows}; its columns have the table's names. */
  unfold(dialect: Dialect, parameter: `$${number}`, fields: readonly (keyof Row & string)[]): string {
    const types = Object.fromEntries(fields.map((field) => [this.#columns[field].name, this.#columns[field].type]));
    return dialect.table(parameter, types);
  }

  /**
   * A statement that inserts the rows of `$1` with all stored fields.
   *
   * @param options.computed columns that the database computes, by name: SQL in which `r` is the row, or a function of
   *   the engine's dialect
   * @param options.only a condition of the inserted rows, in which `r` is the row
   * @param options.conflict SQL after the rows, such as `on conflict (code) do nothing`
   * @param options.within makes the statement of the insert: more SQL around it
   */
  insert(
    name: string,
    {
      computed = {},
      only = 'true',
      conflict = '',
      within = (_, insert) => insert,
    }: {
      computed?: Readonly<Record<string, StatementText>>;
      only?: string;
      conflict?: string;
      within?: (dialect: Dialect, insert: string) => string;
    } = {},
  ): WriteStatement {
    const given = this.columns().filter((column) => !(column in computed));
    const selected = (dialect: Dialect) => [
      ...given.map((column) => `r.${column}`),
      ...Object.values(computed).map((text) => (typeof text === 'string' ? text : text(dialect))),
    ];
    return writeStatement(name, (dialect) =>
      within(
        dialect,
        `insert into ${this.name} (${[...given, ...Object.keys(computed)].join(', ')})
        select ${selected(dialect).join(', ')} from ${this.unfold(dialect, '$1', this.storedFields)} r where ${only} ${conflict}`,
      ),
    );
  }

  /**
   * A statement that updates some fields of existing rows. `$1` holds for each row the fields that identify it,
   * followed by the fields to write.
   */
  update(
    name: string,
    known: readonly (keyof Row & string)[],
    written: readonly (keyof Row & string)[],
  ): WriteStatement {
    const changes = this.columns(written).map((column) => `${column} = r.${column}`);
    const matches = this.columns(known).map((column) => `${this.name}.${column} = r.${column}`);
    return writeStatement(
      name,
      (dialect) => `update ${this.name} set ${changes.join(', ')}
        from ${this.unfold(dialect, '$1', [...known, ...written])} r where ${matches.join(' and ')}`,
    );
  }

  /**
   * The statement `<table>.delete_some`, which deletes at most `$1` rows, beginning with the first keys. `key` is a
   * text field; the condition on it makes both engines use the index.
   */
  deleteSome(key: keyof Row & string): Statement {
    const { name } = this.#columns[key];
    const first = `select d.${name} from ${this.name} d where d.${name} > '' order by d.${name} limit $1`;
    return statement(`${this.name}.delete_some`, `delete from ${this.name} where ${name} in (${first})`);
  }
}

/** Whether the commands `copy` and `export` carry the rows of a table; exceptions with the reason. */
export type Carried =
  | 'everywhere'
  /** Copied, and exported in part. */
  | { readonly inPart: string }
  /** Copied, not exported. */
  | { readonly byCopy: string }
  /** Neither: its rows are about the database or soon over. Also says what the service does without one. */
  | { readonly nowhere: string };

/** How the changes of a table's rows come to be recorded as events. */
export type RecordedChanges =
  /** All writes are recorded ({@link recorded}). */
  | 'recorded'
  /** All but these statements, with the reasons. */
  | { readonly recordedBut: Readonly<Record<string, string>> }
  | { readonly unrecorded: string };

/** Rows that a job deletes at some age. */
export interface KeptRows {
  /** The name of the job. */
  readonly job: string;
  readonly ageMs: number;
  /** The column with the moment that decides their age, which an index leads to. */
  readonly by: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** A further condition on `d`, the row. */
  readonly where?: string;
}

/** What the service does with a table beside the statements of its slice, which describes it in its tables.ts. */
export interface StoredTable {
  readonly name: string;
  readonly carried: Carried;
  /** Whether the number of rows grows with use: then every statement finds its rows by an index. */
  readonly grows: boolean;
  readonly changes: RecordedChanges;
  /** Columns with the e-mail address of a customer, or with text that may contain one: forgetting rewrites them. */
  readonly addresses?: readonly string[];
  /** Absent if rows stay, or if a job of the slice deletes them. */
  readonly kept?: KeptRows;
  /** For rows that name a license by its key: their way when another key replaces it. */
  readonly replacedKey?: ReplacedKey;
}

/**
 * The way of the rows of a license whose key is replaced: the columns that name the new key from then on, in the rows
 * that meet `where`; or the reason for which they keep the old one.
 */
export type ReplacedKey = { readonly moves: readonly string[]; readonly where?: string } | { readonly stays: string };

/** Whether the command copy carries a table to another database. */
export function isCopied({ carried }: StoredTable): boolean {
  return carried === 'everywhere' || !('nowhere' in carried);
}

/** Whether the command export writes a table, or a part of it. */
export function isExported({ carried }: StoredTable): boolean {
  return carried === 'everywhere' || 'inPart' in carried;
}
