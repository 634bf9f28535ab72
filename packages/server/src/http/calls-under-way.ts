/** Counts the calls of each network that are in progress, so that one network cannot use up the whole capacity. */
import { networksOf } from '../network-address.ts';

export class CallsUnderWay {
  readonly #limit: number | null;
  /** Networks with calls under way only, so there are never more entries than two for each of these calls. */
  readonly #counts = new Map<string, number>();

  /** @param limit calls per network; null: as many as come */
  constructor(limit: number | null) {
    this.#limit = limit;
  }

  /** Lets a call in, or answers false. Each that was let in must {@link leave}. `address` null is always let in. */
  enter(address: string | null): boolean {
    if (this.#limit === null || address === null) return true;
    const networks = networksOf(address);
    for (const { name, times } of networks) if ((this.#counts.get(name) ?? 0) >= this.#limit * times) return false;
    for (const { name } of networks) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return true;
  }

  /** A call that was let in has been answered. */
  leave(address: string | null): void {
    if (this.#limit === null || address === null) return;
    for (const { name } of networksOf(address)) {
      const others = (this.#counts.get(name) ?? 1) - 1;
      if (others === 0) this.#counts.delete(name);
      else this.#counts.set(name, others);
    }
  }
}
