/** The sender of events. */

import type { SecretsKey } from '../../platform/sealing/seal.ts';
import type { Sender } from '../../platform/senders/sender.ts';
import type { RequestSettings } from './request.ts';
import { SENDER_BOUNDS, type SenderBounds } from './sender-bounds.ts';
import type { DeliveryReader, DeliveryWriter } from './store.ts';

declare module '../../platform/senders/sender.ts' {
  interface SenderSettings {
    readonly events: EventSending | null;
  }
}

/** Settings of the sender of events. */
export interface EventSending {
  readonly requests: RequestSettings;
  readonly userAgent: string;
  readonly secretsKey: SecretsKey;
  /** Overrides of the usual bounds. */
  readonly bounds: Partial<SenderBounds>;
}

export const eventSender: Sender<'events'> = {
  name: 'events',
  reads: [
    'news',
    'changesSince',
    'loadPage',
    'loadNamed',
    'storedFor',
    'readFeed',
    'messages',
    'listTests',
  ] satisfies (keyof DeliveryReader)[],
  writes: ['save', 'giveBack'] satisfies (keyof DeliveryWriter)[],
  lookMs: ({ bounds }) => ({ ...SENDER_BOUNDS, ...bounds }).neededIntervalMs,
  loadStore: async () => (await import('./delivery-store.ts')).deliveryStore,
  start: async (parts) => (await import('./sending.ts')).startSendingEvents(parts),
};
