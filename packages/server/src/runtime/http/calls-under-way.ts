/** Counts the calls in progress per network, so that one network cannot use up the whole capacity. */
import { networksOf } from '../../ground/base/network-address.ts';

export class CallsUnderWay {
  readonly #limit: number | null;
  /** Holds only networks with calls in progress, so there are at most two entries per call. */
  readonly #counts = new Map<string, number>();

  /** @param limit calls per network; null for no limit */
  constructor(limit: number | null) {
    this.#limit = limit;
  }

  /** Admits a call, or returns false. Each admitted call must {@link leave}. A null `address` is always admitted. */
  enter(address: string | null): boolean {
    if (this.#limit === null || address === null) return true;
    const networks = networksOf(address);
    for (const { name, times } of networks) if ((this.#counts.get(name) ?? 0) >= this.#limit * times) return false;
    for (const { name } of networks) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return true;
  }

  /** Ends a call that was admitted. */
  leave(address: string | null): void {
    if (this.#limit === null || address === null) return;
    for (const { name } of networksOf(address)) {
      const others = (this.#counts.get(name) ?? 1) - 1;
      if (others === 0) this.#counts.delete(name);
      else this.#counts.set(name, others);
    }
  }
}
