/** Saves a list as a file; loaded on demand. */
import { csvOf } from './csv-text.ts';
import { download } from './download.ts';

/** Downloads entries as `NAME.csv`. */
export function saveCsv(name: string, entries: readonly object[]): void {
  download(`${name}.csv`, csvOf(entries), 'text/csv;charset=utf-8');
}
