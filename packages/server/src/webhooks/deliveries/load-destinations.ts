/** Brings the destinations in memory up to date with the stored ones. */
import type { Sendable, SentTo } from '../destinations/sendable.ts';
import { sendablesIn } from '../destinations/store.ts';
import { NEVER } from '../destinations/turn-store.ts';
import type { Outboxes } from './outboxes.ts';
import type { Replays } from './replays.ts';
import type { DeliveryReader } from './store.ts';

/** Destinations that one read loads. */
const LOADED_AT_ONCE = 100;
/** Different lists of types that are kept to be shared. */
const MAX_LISTS = 1_000;

/** Dependencies of {@link LoadedDestinations}. */
export interface LoadingParts {
  readonly store: Pick<DeliveryReader, 'changesSince' | 'loadPage' | 'loadNamed' | 'storedFor'>;
  /** Returns whether the key of this node opens the secrets of a destination; others are not sent to. */
  readonly opens: (destination: SentTo) => boolean;
  readonly outboxes: Outboxes;
  readonly replays: Replays;
}

/** The destinations of a sender. It loads all of them once, and later those that have changed. */
export class LoadedDestinations {
  readonly #parts: LoadingParts;
  #version = NEVER;
  /** Destinations whose state in memory was dropped, because another writer moved them. */
  readonly #dropped = new Set<string>();
  /** Active destinations whose secrets the key of this node does not open. */
  readonly #unopened = new Set<string>();
  /** Most destinations have the same list of types, which is kept once. */
  readonly #lists = new Map<string, readonly string[]>();

  constructor(parts: LoadingParts) {
    this.#parts = parts;
  }

  /** The version of the loaded state; null if some destinations are to be loaded whatever the stored version is. */
  get version(): number | null {
    return this.#version === NEVER || this.#dropped.size > 0 ? null : this.#version;
  }

  /** True if destinations are active, but the key of this node opens the secrets of none. */
  get opensNone(): boolean {
    return this.#unopened.size > 0 && this.#parts.outboxes.size === 0;
  }

  /** Drops destinations that another writer has moved or deleted; {@link load} loads them again. */
  drop(destinationIds: readonly string[]): void {
    for (const destinationId of destinationIds) {
      this.#parts.outboxes.drop(destinationId);
      this.#dropped.add(destinationId);
    }
  }

  /** Lets {@link load} load all destinations again. Those in memory stay until then. */
  forget(): void {
    this.#version = NEVER;
    this.#dropped.clear();
    this.#unopened.clear();
  }

  /** Loads the destinations that have changed or were dropped since the last call. */
  async load(): Promise<void> {
    const { store, outboxes, replays } = this.#parts;
    // Before the destinations: a change while these are read is loaded by the next call.
    const { version, destinationIds } = await store.changesSince(this.#version);
    if (destinationIds === null) await this.#loadAll();
    else {
      const named = [...new Set([...destinationIds, ...this.#dropped])];
      for (let first = 0; first < named.length; first += LOADED_AT_ONCE)
        await this.#loadNamed(named.slice(first, first + LOADED_AT_ONCE));
      if (named.length > 0) outboxes.dropClosed();
    }
    this.#version = version;
    this.#dropped.clear();
    replays.forgetDropped(outboxes);
  }

  async #loadAll(): Promise<void> {
    const { store, outboxes } = this.#parts;
    const destinationIds = new Set<string>();
    this.#unopened.clear();
    for (let after: string | null = ''; after !== null; ) {
      const found = sendablesIn(await store.loadPage(after, LOADED_AT_ONCE));
      for (const destinationId of await this.#take(found, true)) destinationIds.add(destinationId);
      const ids = found.map(({ destination }) => destination.destinationId).sort();
      after = found.length < LOADED_AT_ONCE ? null : (ids.at(-1) ?? null);
    }
    outboxes.closeOthers(destinationIds);
  }

  async #loadNamed(destinationIds: readonly string[]): Promise<void> {
    const { store, outboxes } = this.#parts;
    for (const destinationId of destinationIds) this.#unopened.delete(destinationId);
    const taken = await this.#take(sendablesIn(await store.loadNamed(destinationIds)), false);
    for (const destinationId of destinationIds) if (!taken.has(destinationId)) outboxes.close(destinationId);
  }

  /**
   * Takes over active destinations.
   *
   * @param areProven true if the destinations that succeeded last are known to work. One that was changed may have
   *   another URL than that of its last success
   * @returns the ids of those whose secrets the key of this node opens
   */
  async #take(found: readonly Sendable[], areProven: boolean): Promise<ReadonlySet<string>> {
    const { store, opens, outboxes, replays } = this.#parts;
    const opened = found.filter(({ destination }) => opens(destination));
    const destinationIds = new Set(opened.map(({ destination }) => destination.destinationId));
    for (const { destination } of found)
      if (!destinationIds.has(destination.destinationId)) this.#unopened.add(destination.destinationId);
    if (opened.length === 0) return destinationIds;
    const stored = await store.storedFor([...destinationIds]);
    const waiting = Map.groupBy(stored.waiting, ({ destinationId }) => destinationId);
    const replayOf = new Map(stored.replays.map((replay) => [replay.destinationId, replay]));
    for (const { destination, progress } of opened) {
      const { destinationId, types } = destination;
      const sendable = { destination: { ...destination, types: this.#shared(types) }, progress };
      const isProven = areProven && progress.lastSuccessAt !== null && progress.failingSince === null;
      outboxes.take(sendable, waiting.get(destinationId) ?? [], isProven);
      const replay = replayOf.get(destinationId) ?? null;
      const outbox = replay === null ? outboxes.get(destinationId) : outboxes.open(destinationId);
      if (outbox !== undefined) replays.take(outbox, replay, waiting.get(destinationId) ?? []);
    }
    return destinationIds;
  }

  #shared(list: readonly string[]): readonly string[] {
    if (this.#lists.size >= MAX_LISTS) this.#lists.clear();
    return this.#lists.getOrInsert(list.join(' '), list);
  }
}
