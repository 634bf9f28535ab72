/** The sender of look-ups: it asks sellers for the parts that an event leaves out, in a thread of its own. */
import type { Sender } from '../../platform/senders/sender.ts';
import type { LookUpStore } from './look-up-store.ts';

declare module '../../platform/senders/sender.ts' {
  interface SenderSettings {
    readonly shops: ShopLookUps | null;
  }
}

/** Settings of the sender of look-ups. */
export interface ShopLookUps {
  /** Addresses of the APIs of sellers in place of the real ones, by the name of the seller; for tests. */
  readonly origins: Readonly<Record<string, string>>;
}

/** Time between two looks for events that wait. */
const LOOK_MS = 1_000;

export const lookUpSender: Sender<'shops'> = {
  name: 'shops',
  reads: ['findLookUpDue', 'findCatchUpDue'] satisfies (keyof LookUpStore)[],
  writes: [
    ...(['beginLookUps', 'endLookUp', 'giveBackLookUps'] as const),
    ...(['beginCatchUp', 'keepListed', 'endCatchUp', 'hastenCatchUps'] as const),
  ] satisfies (keyof LookUpStore)[],
  lookMs: () => LOOK_MS,
  loadStore: async () => (await import('./look-up-store.ts')).lookUpStore,
  start: async (parts) => (await import('./look-ups.ts')).startLookUps(parts, LOOK_MS),
};
