import type { Addresses } from './addresses.ts';
import type { Attempt } from './attempt-store.ts';
import type { SenderBounds } from './sender-bounds.ts';
import type { SignedRequestParts } from './signed-request.ts';
import type { DeliveryStore } from './store.ts';

/** Dependencies of the sender. */
export interface SenderParts extends SignedRequestParts {
  readonly store: DeliveryStore;
  readonly addresses: Pick<Addresses, 'of' | 'putLast'>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly random: () => number;
  readonly bounds: SenderBounds;
  readonly on: SenderListeners;
}

/** Callbacks of the sender, for the log and the metrics. */
export interface SenderListeners {
  attempted(attempt: Attempt, delayMs: number | null): void;
  failing(destinationId: string, url: string, error: string): void;
  back(destinationId: string, url: string): void;
  disabled(destinationId: string, url: string, reason: string): void;
  failed(destinationId: string, eventId: string): void;
  clockDiffers(url: string, differenceMs: number): void;
  heldBack(milliseconds: number): void;
}
