/** The SQL of PostgreSQL, by the version of the server. */
import { beyond, upTo } from '../contract/bounds.ts';
import type { Dialect } from '../contract/storage.ts';

/** The time of PostgreSQL's clock as a timestamp; the time of the transaction would be too old. */
const POSTGRES_MOMENT = `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * `for no key update` lets others insert rows that refer to the locked one.
 *
 * In a list, each column in which the rows agree is compared with an array of one value. With an equality comparison,
 * an index that lacks one of the columns would have the order of the page, too. PostgreSQL chooses that index when its
 * statistics promise enough rows soon, and may then skip a million unrelated rows to find a few. The array gives no
 * index without the column that order, and PostgreSQL estimates it like an equality. The scan begins at the cursor and
 * ends behind the last row of the list (docs/contributors/decisions/0060-lists-on-postgresql.md).
 *
 * Rows of a table parameter come from jsonb, which is parsed once. json is parsed again for each column: 36 instead of
 * 13 microseconds for a row of eleven columns.
 */
export const postgresDialect: Dialect = {
  forUpdate: 'for no key update',
  among: (parameter) => `= any (array(select json_array_elements_text(${parameter}::json)))`,
  afterCursor: (agreed, cursor, { isRising = false, last = {} } = {}) =>
    [
      beyond(cursor, isRising),
      ...(Object.keys(last).length === 0 ? [] : [upTo(last, isRising)]),
      ...Object.entries(agreed).map(([column, value]) => `${column} = any (array[${value}])`),
    ].join(' and '),
  ordersByAgreed: true,
  table: (parameter, columns) => {
    const selected = Object.entries(columns).map(
      ([column, type], index) => `(item->>${index})::${type === 'integer' ? 'bigint' : 'text'} as ${column}`,
    );
    return `(select ${selected.join(', ')} from jsonb_array_elements(${parameter}::jsonb) as entry(item))`;
  },
  rowsAsText: (columns, select) =>
    `select coalesce(json_agg(json_build_array(${columns.join(', ')})), '[]')::text as "rows" from (${select}) selected`,
  indexesLate: false,
  // Distributions append text to the version. The server reads the size from its files.
  aboutItself: `select split_part(current_setting('server_version'), ' ', 1) as version,
    pg_database_size(current_database()) as bytes,
    ${POSTGRES_MOMENT} as moment`,
  ownMoment: `select ${POSTGRES_MOMENT} as moment`,
  writesTwoTables: true,
  // A sequence that was never used has 1 as its last value, too.
  lastNumber: (table, column) =>
    `select case when s.is_called then s.last_value else 0 end as "position" from ${table}_${column}_seq s`,
  continueNumbers: (table, column) => `select setval('${table}_${column}_seq',
    (select coalesce(max(n.${column}), 0) + 1 from ${table} n where n.${column} > 0), false)`,
  // An insert takes this lock before it takes a number, and holds it until its transaction ends.
  openWriters: (table) => `select distinct l.virtualtransaction as "writer" from pg_locks l
    where l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.relation = '${table}'::regclass
      and l.database = (select d.oid from pg_database d where d.datname = current_database())`,
};

/**
 * For PostgreSQL 16 and earlier, where an index loses its order with a second array. Rows after a cursor lie between
 * two bounds of all columns, compared as rows. The separate bounds of the first column are redundant, but without them
 * PostgreSQL estimates that the other bounds leave a ninth of the table. They come last, because PostgreSQL 16 begins
 * at the first bound. In a long list, the first column is compared with an array instead: the scan then ends behind the
 * last row.
 */
export const earlierPostgresDialect: Dialect = {
  ...postgresDialect,
  afterCursor: (agreed, cursor, { isRising = false, isLong = false, last = {} } = {}) => {
    const [[first, value] = [], ...others] = Object.entries(agreed);
    const bounded = isLong ? Object.fromEntries(others) : agreed;
    const end = { ...bounded, ...last };
    const ofFirst = () => (isLong ? `${first} = any (array[${value}])` : `${first} between ${value} and ${value}`);
    return [
      beyond({ ...bounded, ...cursor }, isRising),
      ...(Object.keys(end).length === 0 ? [] : [upTo(end, isRising)]),
      ...(first === undefined ? [] : [ofFirst()]),
    ].join(' and ');
  },
};
