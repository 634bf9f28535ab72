/** Counts recorded changes once they are committed, by their types; violations by theirs as well. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { COMMITTED_CHANGES, type CommittedChanges } from '../events/committed-changes.ts';
import type { Measures } from './measures.ts';

/**
 * Begins to count what this thread commits.
 *
 * @returns ends it
 */
export function measureChanges(measures: Measures): () => void {
  const count = (message: unknown) => {
    for (const { type, after } of message as CommittedChanges) {
      measures.counter('latchkey_changes_total', { type }).value += 1;
      if (type === 'violation.opened')
        measures.counter('latchkey_violations_total', { type: String(after?.type) }).value += 1;
    }
  };
  subscribe(COMMITTED_CHANGES, count);
  return () => {
    unsubscribe(COMMITTED_CHANGES, count);
  };
}
