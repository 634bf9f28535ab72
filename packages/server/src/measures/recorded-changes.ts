/** Counts recorded changes once they are committed, by their types; violations by theirs as well. */
import type { RecordedChange } from '../storage/storage.ts';
import type { Measures } from './measures.ts';

/** Counts what a transaction recorded. For those who hear of commits. */
export function measureChanges(measures: Measures, recorded: readonly RecordedChange[]): void {
  for (const { type, after } of recorded) {
    measures.counter('latchkey_changes_total', { type }).value += 1;
    if (type === 'violation.opened')
      measures.counter('latchkey_violations_total', { type: String(after?.type) }).value += 1;
  }
}
