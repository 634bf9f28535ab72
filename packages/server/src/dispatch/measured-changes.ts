/** Counts committed changes by type, and opened violations also by their own type. */

import type { Measures } from '../measures/measures.ts';
import type { RecordedChange } from '../storage/storage.ts';

/** Counts the changes that a committed transaction recorded. Call it on each commit. */
export function measureChanges(measures: Measures, recorded: readonly RecordedChange[]): void {
  for (const { type, after } of recorded) {
    measures.counter('latchkey_changes_total', { type }).value += 1;
    if (type === 'violation.opened')
      measures.counter('latchkey_violations_total', { type: String(after?.type) }).value += 1;
  }
}
