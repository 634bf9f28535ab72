/** The dialects of the engines, side by side. */
import type { Dialect } from './storage.ts';

/**
 * SQLite has one writer, so nothing needs a lock.
 *
 * Rows of a table come out of jsonb_each, whose rows are parsed: json_each writes each as text, which is parsed anew (2.7
 * against 8 microseconds a row of fourteen columns).
 */
export const sqliteDialect: Dialect = {
  forUpdate: '',
  among: (parameter) => `in (select value from json_each(${parameter}))`,
  afterCursor: (agreed, cursor, { isRising = false, last = {} } = {}) =>
    [
      ...Object.entries(agreed).map(([column, value]) => `${column} = ${value}`),
      beyond(cursor, isRising),
      ...Object.entries(last).map(([column, value]) => `${column} ${isRising ? '<=' : '>='} ${value}`),
    ].join(' and '),
  table: (parameter, columns) => {
    const selected = Object.keys(columns).map((column, index) => `value->>${index} as ${column}`);
    return `(select ${selected.join(', ')} from jsonb_each(${parameter}))`;
  },
  aboutItself: 'select sqlite_version() as version, null as bytes, null as moment',
  ownMoment: 'select null as moment',
};

/** The condition of rows that come after these values on the way down or up, compared column by column. */
function beyond(values: Readonly<Record<string, string>>, isRising: boolean): string {
  return `(${Object.keys(values).join(', ')}) ${isRising ? '>' : '<'} (${Object.values(values).join(', ')})`;
}

/** The time of PostgreSQL's own clock as a timestamp; that of its transaction would be too old. */
const POSTGRES_MOMENT = `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * `for no key update` lets rows that refer to the locked one be inserted meanwhile.
 *
 * Rows after a cursor lie between two bounds. If columns were compared for equality, an index that lacks one of them
 * would have the order of the page, too. PostgreSQL takes it when its statistics say that it will soon have met enough
 * rows, and may then pass over a million rows of others to find a few. The bounds of the first column alone say nothing
 * new; without them it believes that the others leave a ninth of the table. They come last: it stops at the first lower
 * bound.
 *
 * Rows of a table come out of jsonb, which is read once: json is parsed anew for each column (13 against 36
 * microseconds a row of eleven columns).
 */
export const postgresDialect: Dialect = {
  forUpdate: 'for no key update',
  among: (parameter) => `= any (array(select json_array_elements_text(${parameter}::json)))`,
  afterCursor: (agreed, cursor, { isRising = false, last = {} } = {}) => {
    const end = { ...agreed, ...last };
    const [columns, values] = [Object.keys(end), Object.values(end)];
    const after = beyond({ ...agreed, ...cursor }, isRising);
    if (columns.length === 0) return after;
    const untilEnd = `${after} and (${columns.join(', ')}) ${isRising ? '<=' : '>='} (${values.join(', ')})`;
    return Object.keys(agreed).length === 0
      ? untilEnd
      : `${untilEnd} and ${columns[0]} between ${values[0]} and ${values[0]}`;
  },
  table: (parameter, columns) => {
    const selected = Object.entries(columns).map(
      ([column, type], index) => `(item->>${index})::${type === 'integer' ? 'bigint' : 'text'} as ${column}`,
    );
    return `(select ${selected.join(', ')} from jsonb_array_elements(${parameter}::jsonb) as entry(item))`;
  },
  // Distributions add their own words to the version. The size is that of the files, which the server looks up.
  aboutItself: `select split_part(current_setting('server_version'), ' ', 1) as version,
    pg_database_size(current_database()) as bytes,
    ${POSTGRES_MOMENT} as moment`,
  ownMoment: `select ${POSTGRES_MOMENT} as moment`,
};
