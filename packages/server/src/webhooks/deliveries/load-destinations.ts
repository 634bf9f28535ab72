/** Brings the destinations in memory up to date with the stored ones. */
import type { Sendable, SentTo } from '../destinations/sendable.ts';
import { sendablesIn } from '../destinations/store.ts';
import type { Outboxes } from './outboxes.ts';
import type { Replays } from './replays.ts';
import type { DeliveryReader } from './store.ts';

/** Destinations that one read loads. */
const LOADED_AT_ONCE = 100;

/** Dependencies of {@link loadDestinations}. */
export interface LoadingParts {
  readonly store: Pick<DeliveryReader, 'load' | 'storedFor'>;
  /** Returns whether the key of this node opens the secrets of a destination; others are not sent to. */
  readonly opens: (destination: SentTo) => boolean;
}

/**
 * Loads all active destinations, page by page, if one changed since a version.
 *
 * @returns null if none changed; `opensNone` is true if destinations are active, but the key of this node opens the
 *   secrets of none
 */
export async function loadDestinations(
  { store, opens }: LoadingParts,
  known: number,
  outboxes: Outboxes,
  replays: Replays,
): Promise<{ readonly version: number; readonly opensNone: boolean } | null> {
  const first = await store.load(known, '', LOADED_AT_ONCE);
  if (first === null) return null;
  const destinationIds = new Set<string>();
  const lists = new Map<string, readonly string[]>();
  let hasUnopened = false;
  for (let loaded: typeof first | null = first; loaded !== null; ) {
    const found = sendablesIn(loaded.page);
    const opened = found.filter(({ destination }) => opens(destination));
    if (opened.length < found.length) hasUnopened = true;
    for (const { destination } of opened) destinationIds.add(destination.destinationId);
    await take(opened, lists, store, outboxes, replays);
    const ids = found.map(({ destination }) => destination.destinationId).sort();
    loaded = found.length < LOADED_AT_ONCE ? null : await store.load(NEVER, ids.at(-1) ?? '', LOADED_AT_ONCE);
  }
  outboxes.closeOthers(destinationIds);
  replays.forgetDropped(outboxes);
  // Of the first page: a change while the others were read is loaded in the next round.
  return { version: first.version, opensNone: hasUnopened && destinationIds.size === 0 };
}

async function take(
  found: readonly Sendable[],
  lists: Map<string, readonly string[]>,
  store: LoadingParts['store'],
  outboxes: Outboxes,
  replays: Replays,
): Promise<void> {
  if (found.length === 0) return;
  const stored = await store.storedFor(found.map(({ destination }) => destination.destinationId));
  const waiting = Map.groupBy(stored.waiting, ({ destinationId }) => destinationId);
  const replayOf = new Map(stored.replays.map((replay) => [replay.destinationId, replay]));
  for (const { destination, progress } of found) {
    const { destinationId, types } = destination;
    const sendable = { destination: { ...destination, types: shared(types, lists) }, progress };
    outboxes.take(sendable, waiting.get(destinationId) ?? []);
    const replay = replayOf.get(destinationId) ?? null;
    const outbox = replay === null ? outboxes.get(destinationId) : outboxes.open(destinationId);
    if (outbox !== undefined) replays.take(outbox, replay, waiting.get(destinationId) ?? []);
  }
}

/** Most destinations have the same list of types, which is kept once. */
function shared(list: readonly string[], lists: Map<string, readonly string[]>): readonly string[] {
  const name = list.join(' ');
  const known = lists.get(name) ?? list;
  lists.set(name, known);
  return known;
}

/** The version of no state. */
export const NEVER = -1;
