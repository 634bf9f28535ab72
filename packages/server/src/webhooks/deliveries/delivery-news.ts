/** News of the sender of events. Addresses are origins, because a path may be a secret. */
import type { Outcome } from './request.ts';

/** A request to a destination, for the metrics. */
export interface MeasuredAttempt {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** Time from the change to the first attempt; null for further attempts and tests. */
  readonly delayMs: number | null;
}

/** An event in the sender, for the log and the metrics. */
export type DeliveryNews =
  /** The requests of the last second together, because a message per request took a seventh of the sender's CPU. */
  | { readonly kind: 'attempted'; readonly attempts: readonly MeasuredAttempt[] }
  | { readonly kind: 'failing'; readonly destinationId: string; readonly origin: string; readonly error: string }
  | { readonly kind: 'back'; readonly destinationId: string; readonly origin: string }
  | { readonly kind: 'disabled'; readonly destinationId: string; readonly origin: string; readonly reason: string }
  | { readonly kind: 'failed'; readonly destinationId: string; readonly eventId: string }
  | { readonly kind: 'clock differs'; readonly origin: string; readonly differenceMs: number }
  | { readonly kind: 'held back'; readonly milliseconds: number };
