/** The states of a shop event, and when the service tries again. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import type { ConnectorState } from './settings.ts';

export const SHOP_EVENT_STATES = [
  'watched',
  'received',
  'looking up',
  'held',
  'applied',
  'nothing new',
  'ignored',
  'attention',
  'dismissed',
] as const;
export type ShopEventState = (typeof SHOP_EVENT_STATES)[number];

/** States in which the service itself goes on. */
const WAITING: readonly ShopEventState[] = ['received', 'looking up', 'held'];

/** Pauses after a failure; the last one repeats. */
const PAUSES_MS = [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS] as const;
const TRIED_FOR_MS = 3 * DAY_MS;
const HELD_FOR_MS = 30 * DAY_MS;

/** The state of an event that has just arrived. */
export function stateOnArrival(connector: ConnectorState): ShopEventState {
  return connector === 'on' ? 'received' : 'watched';
}

/** States in which nobody goes on, unless the event is replayed. */
const FINAL: readonly ShopEventState[] = ['applied', 'nothing new', 'ignored', 'dismissed'];

/** Whether an event is done. */
export function isFinal(state: ShopEventState): boolean {
  return FINAL.includes(state);
}

/** Whether the service still works on an event, so that its connector cannot be deleted. */
export function isWaiting(state: ShopEventState): boolean {
  return WAITING.includes(state);
}

/**
 * When a failed look-up or a failed application is tried again.
 *
 * @param attempts how often it failed, at least once
 * @param since when the event became due for the first time
 * @returns milliseconds since 1970; null after three days, when a person decides
 */
export function nextAttemptAt(attempts: number, since: number, now: number): number | null {
  return now - since >= TRIED_FOR_MS ? null : now + pauseAfter(attempts);
}

/** The time before the next attempt after so many failures, at least one, in milliseconds. */
export function pauseAfter(failures: number): number {
  return PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1]!;
}

/** The time after which a person decides about an event whose sale is still unknown. */
export function heldUntil(receivedAt: number): number {
  return receivedAt + HELD_FOR_MS;
}
