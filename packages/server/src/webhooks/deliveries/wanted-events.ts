/** The events that the database returns to the sender: those that may fit a destination. */

import { eventTypes } from '../../platform/events/event-types.ts';
import type { WantedEvents } from '../../platform/events/feed-store.ts';
import { includesType } from '../destinations/destination.ts';
import type { SentTo } from '../destinations/sendable.ts';

/** Most products and creators that a read compares each event with. With more, it chooses by type alone. */
const MAX_NAMES = 100;

/** The settings that choose the events of a destination. */
type Choosing = Pick<SentTo, 'creatorId' | 'types' | 'productIds'>;

/** The events that may fit some destinations. Adding a destination costs as much as its types and products. */
export class Interest {
  readonly #selections = new Map<string, number>();
  readonly #productIds = new Map<string, number>();
  readonly #creatorIds = new Map<string, number>();
  /** Number of destinations of the operator that name no products. */
  #ofAll = 0;
  #wanted: WantedEvents | null = null;

  add(destination: Choosing): void {
    this.#count(destination, 1);
  }

  /** Removes a destination whose settings are those it was added with. */
  remove(destination: Choosing): void {
    this.#count(destination, -1);
  }

  clear(): void {
    for (const counts of [this.#selections, this.#productIds, this.#creatorIds]) counts.clear();
    this.#ofAll = 0;
    this.#wanted = null;
  }

  /** The events that may fit one of the destinations, and maybe others: `matches` decides. */
  get wanted(): WantedEvents {
    this.#wanted ??= this.#find();
    return this.#wanted;
  }

  #count({ creatorId, types, productIds }: Choosing, by: 1 | -1): void {
    for (const selection of types) count(this.#selections, selection, by);
    if (productIds !== null) for (const productId of productIds) count(this.#productIds, productId, by);
    else if (creatorId === null) this.#ofAll += by;
    else count(this.#creatorIds, creatorId, by);
    this.#wanted = null;
  }

  #find(): WantedEvents {
    const selections = [...this.#selections.keys()];
    const areOfAll = this.#ofAll > 0 || this.#productIds.size + this.#creatorIds.size > MAX_NAMES;
    return {
      types: selections.includes('*') ? null : eventTypes.filter((type) => includesType(selections, type)),
      of: areOfAll ? null : { productIds: [...this.#productIds.keys()], creatorIds: [...this.#creatorIds.keys()] },
    };
  }
}

/** Returns the events that may fit one of these destinations. */
export function wantedBy(destinations: Iterable<Choosing>): WantedEvents {
  const interest = new Interest();
  for (const destination of destinations) interest.add(destination);
  return interest.wanted;
}

function count(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const now = (counts.get(name) ?? 0) + by;
  if (now === 0) counts.delete(name);
  else counts.set(name, now);
}
