/** Brings the destinations in memory up to date with the stored ones. */
import type { Outboxes } from './outboxes.ts';
import type { Replays } from './replays.ts';
import type { DeliveryReader } from './store.ts';

/** The result of {@link loadDestinations}. */
export interface LoadedDestinations {
  readonly version: number;
  /** True if destinations are active, but the key of this node opens the secrets of none. */
  readonly opensNone: boolean;
}

/**
 * Loads all active destinations, page by page, if one changed since a version.
 *
 * @returns null if none changed
 */
export async function loadDestinations(
  reader: Pick<DeliveryReader, 'load'>,
  known: number,
  outboxes: Outboxes,
  replays: Replays,
): Promise<LoadedDestinations | null> {
  const first = await reader.load(known, '');
  if (first === null) return null;
  const destinationIds = new Set<string>();
  let unopened = 0;
  for (let page = first; ; ) {
    const waiting = Map.groupBy(page.waiting, ({ destinationId }) => destinationId);
    const stored = new Map(page.replays.map((replay) => [replay.destinationId, replay]));
    for (const sendable of page.destinations) {
      const { destinationId } = sendable.destination;
      destinationIds.add(destinationId);
      outboxes.take(sendable, waiting.get(destinationId) ?? []);
      const replay = stored.get(destinationId) ?? null;
      const outbox = replay === null ? outboxes.get(destinationId) : outboxes.open(destinationId);
      if (outbox !== undefined) replays.take(outbox, replay);
    }
    unopened += page.unopened;
    if (page.next === null) break;
    const next = await reader.load(NEVER, page.next);
    if (next === null) break;
    page = next;
  }
  outboxes.closeOthers(destinationIds);
  replays.forgetDropped(outboxes);
  // Of the first page: a change while the others were read is loaded in the next round.
  return { version: first.version, opensNone: unopened > 0 && destinationIds.size === 0 };
}

/** The version of no state. */
export const NEVER = -1;
