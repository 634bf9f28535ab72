/**
 * Active destinations by the events that they may receive. A service may have 10,000 of them, so each event is compared
 * with those of its product and of its owner only.
 */

import type { Event } from '../../platform/events/event.ts';
import type { SentTo } from '../destinations/sendable.ts';

/** Something with the settings of a destination. */
interface Addressed {
  readonly destination: Pick<SentTo, 'creatorId' | 'productIds'>;
}

export class Audience<Member extends Addressed> {
  /** Destinations that name products, by product. */
  readonly #ofProduct = new Map<string, Set<Member>>();
  /** The others, by owner: the creator, or '' for the operator. */
  readonly #ofOwner = new Map<string, Set<Member>>();

  add(member: Member): void {
    const { creatorId, productIds } = member.destination;
    if (productIds === null) join(this.#ofOwner, creatorId ?? '', member);
    else for (const productId of productIds) join(this.#ofProduct, productId, member);
  }

  /** Removes a member whose settings are those it was added with. */
  remove(member: Member): void {
    const { creatorId, productIds } = member.destination;
    if (productIds === null) leave(this.#ofOwner, creatorId ?? '', member);
    else for (const productId of productIds) leave(this.#ofProduct, productId, member);
  }

  clear(): void {
    this.#ofProduct.clear();
    this.#ofOwner.clear();
  }

  /** The members that may receive an event: all that match (webhooks/destinations/sendable.ts), and few others. */
  *of({ creatorId, productId }: Pick<Event, 'creatorId' | 'productId'>): Generator<Member, undefined> {
    if (productId !== null) yield* this.#ofProduct.get(productId) ?? [];
    yield* this.#ofOwner.get('') ?? [];
    if (creatorId !== null && creatorId !== '') yield* this.#ofOwner.get(creatorId) ?? [];
  }
}

function join<Member>(sets: Map<string, Set<Member>>, key: string, member: Member): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([member]));
  else set.add(member);
}

function leave<Member>(sets: Map<string, Set<Member>>, key: string, member: Member): void {
  const set = sets.get(key);
  set?.delete(member);
  if (set?.size === 0) sets.delete(key);
}
