/** The engines' words: where their SQL differs, side by side. */
import type { Words } from './storage.ts';

/** SQLite has one writer, so nothing needs a lock. */
export const sqliteWords: Words = {
  forUpdate: '',
  table: (parameter, columns) => {
    const selected = Object.keys(columns).map((column, index) => `value->>${index} as ${column}`);
    return `(select ${selected.join(', ')} from json_each(${parameter}))`;
  },
};

/** PostgreSQL's `for no key update` lets rows that refer to the locked one be inserted meanwhile. */
export const postgresWords: Words = {
  forUpdate: 'for no key update',
  table: (parameter, columns) => {
    const selected = Object.entries(columns).map(
      ([column, type], index) => `(item->>${index})::${type === 'integer' ? 'bigint' : 'text'} as ${column}`,
    );
    return `(select ${selected.join(', ')} from json_array_elements(${parameter}::json) as entry(item))`;
  },
};
