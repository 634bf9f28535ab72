/** The order in which destinations get their requests. */
import type { Outbox } from './outbox.ts';

/**
 * Orders destinations by their turn: backed-off ones, which get few requests, by their failures; the others with
 * the longest unserved first. A receiver that was away for a moment does not wait for thousands that are gone.
 */
export function byTurn(one: Outbox, other: Outbox): number {
  if (one.isBackedOff !== other.isBackedOff) return one.isBackedOff ? -1 : 1;
  return one.progress.failures - other.progress.failures || one.servedAt - other.servedAt;
}
