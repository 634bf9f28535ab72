/**
 * Lists along an index, and statements whose values have names: `:creatorId` in the text is the value `creatorId`.
 * Nobody numbers parameters, so a further condition cannot shift those of the others.
 */
import { type Dialect, type IndexScanOptions, type Sql, type Statement, statement, type Value } from './storage.ts';

/** Not the type of a cast, `::json`. */
const NAMED = /(?<!:):([a-z]\w*)/gi;

/**
 * Repeats the parameters of each part. A text in this dialect is no SQL, but it has the names that every engine has.
 */
const namingDialect: Dialect = {
  forUpdate: '',
  among: (parameter) => parameter,
  afterCursor: (agreed, cursor, { last = {} } = {}) => [agreed, cursor, last].flatMap(Object.values).join(' '),
  ordersByAgreed: true,
  table: (parameter) => parameter,
  rowsAsText: (_columns, select) => select,
  indexesLate: false,
  aboutItself: '',
  ownMoment: '',
  writesTwoTables: false,
  lastNumber: () => '',
  continueNumbers: () => '',
  openWriters: () => '',
};

/** A select that takes its values by name. */
export class NamedStatement<Name extends string> {
  readonly #statement: Statement;
  readonly #names: readonly Name[];

  /**
   * Declares the statement, as {@link statement} does.
   *
   * @param names the names of all values that the text may have, in the order in which they become parameters
   */
  constructor(name: string, names: readonly Name[], text: (dialect: Dialect) => string) {
    const used = new Set([...text(namingDialect).matchAll(NAMED)].map(([, each]) => each as Name));
    for (const each of used)
      if (!names.includes(each)) throw new Error(`the statement ${name} has the value ${each}, which it does not name`);
    this.#names = [...new Set(names)].filter((each) => used.has(each));
    const number = (_: string, each: string) => `$${this.#names.indexOf(each as Name) + 1}`;
    this.#statement = statement(name, (dialect) => text(dialect).replace(NAMED, number));
  }

  /** All rows. Values that the text does not have are ignored. */
  all<Row>(sql: Sql, values: Readonly<Record<Name, Value | undefined>>): Promise<Row[]> {
    return sql.all<Row>(this.#statement, ...this.#names.map((name) => values[name] as Value));
  }
}

/** The values of every page of a list, newest first; `from` of those that end at a time. */
const PAGE = ['createdAt', 'id', 'limit', 'from'] as const;

/**
 * A list, newest first, with optional filters: one statement for each combination, because an optional filter could not
 * use its index. Each reads an index on the columns of its filters, `created_at` and the identifier.
 */
export class FilteredList<Filter extends string = never> {
  readonly #filters: readonly Filter[];
  readonly #statements = new Map<string, NamedStatement<(typeof PAGE)[number] | Filter>>();

  /**
   * @param name that of the statement without filters; `_of_creator` and so on are appended for the others
   * @param select the text before `where`
   * @param table the table's alias
   * @param id the column of the identifier
   * @param filters the column of each filter
   * @param isRanged as of {@link pageAlong}
   */
  constructor(
    name: string,
    select: string,
    table: string,
    id: string,
    filters: Readonly<Record<Filter, string>>,
    isRanged = false,
  ) {
    this.#filters = Object.keys(filters) as Filter[];
    const combinations: Filter[][] = [[]];
    for (const filter of this.#filters) combinations.push(...combinations.map((each) => [...each, filter]));
    for (const given of combinations) {
      const agreed = Object.fromEntries(given.map((filter) => [filters[filter], `:${filter}`]));
      const text = (dialect: Dialect) => `${select} ${pageAlong(dialect, table, id, agreed, { isRanged })}`;
      const named = given.length === 0 ? name : `${name}_of_${given.join('_')}`;
      this.#statements.set(given.join(), new NamedStatement(named, [...PAGE, ...given], text));
    }
  }

  /** The rows of a page. An undefined value does not filter. A ranged list ends before rows older than `from`. */
  page<Row>(
    sql: Sql,
    given: Readonly<Record<Filter, Value | undefined>>,
    after: { readonly createdAt: string; readonly id: string },
    limit: number,
    from = '',
  ): Promise<Row[]> {
    const combination = this.#filters.filter((filter) => given[filter] !== undefined).join();
    return this.#statements.get(combination)!.all<Row>(sql, { ...given, ...after, limit, from });
  }
}

/**
 * The `where`, `order by` and `limit` of a statement that reads part of a list along an index. The index covers the
 * columns in which all rows of the list agree, followed by the columns of its order.
 *
 * @param list.agreed the columns in which all rows agree, in the order of the index, each with a name or a literal
 * @param list.cursor the columns of the order, each with the name of its value before the first row
 * @param list.filter a further condition, `and ...`; rows that fail it are read and skipped, unless the index begins
 *   with its columns
 * @param list.limit the name of the number of rows
 */
export function indexScan(
  dialect: Dialect,
  list: IndexScanOptions & {
    readonly agreed?: Readonly<Record<string, string>>;
    readonly cursor: Readonly<Record<string, string>>;
    readonly filter?: string;
    readonly limit: string;
  },
): string {
  const { agreed = {}, cursor, filter = '', limit, ...options } = list;
  const direction = options.isRising === true ? 'asc' : 'desc';
  const order = Object.keys({ ...(dialect.ordersByAgreed ? agreed : {}), ...cursor }).map(
    (column) => `${column} ${direction}`,
  );
  return `where ${dialect.afterCursor(agreed, cursor, options)} ${filter} order by ${order.join(', ')} limit ${limit}`;
}

/**
 * {@link indexScan} for a page of a list, newest first: along the columns in which all rows agree, `created_at` and the
 * identifier. Its values are `createdAt`, `id` and `limit`.
 *
 * @param table the table's alias in the statement
 * @param id the column of the identifier
 * @param options.filter as of {@link indexScan}
 * @param options.isRising oldest first instead
 * @param options.isRanged whether the list ends with the rows of the value `from`, '' for all
 */
export function pageAlong(
  dialect: Dialect,
  table: string,
  id: string,
  agreed: Readonly<Record<string, string>> = {},
  options: { readonly filter?: string; readonly isRising?: boolean; readonly isRanged?: boolean } = {},
): string {
  const { isRanged = false, ...others } = options;
  const columns = Object.fromEntries(Object.entries(agreed).map(([column, value]) => [`${table}.${column}`, value]));
  const cursor = { [`${table}.created_at`]: ':createdAt', [`${table}.${id}`]: ':id' };
  const last = isRanged ? { [`${table}.created_at`]: ':from' } : {};
  return indexScan(dialect, { agreed: columns, cursor, last, limit: ':limit', ...others });
}
