/**
 * Notes whether this node reaches any receiver. A node without a way out must not keep the others from sending: it
 * releases the lease for a while ([decision 44](../../../../docs/contributors/decisions/0044-proofs-of-sending.md)).
 */

/** A single dead receiver says nothing about this node, so failures of fewer destinations do not count. */
const FEWEST_DESTINATIONS = 3;

/** See the head of this file. Times are monotonic milliseconds. */
export class Reach {
  readonly #unreachedMs: number;
  /** The first request without an answer since the last one with an answer; null without one. */
  #since: number | null = null;
  readonly #unreached = new Set<string>();

  /** @param unreachedMs time without any answer after which the node counts as cut off */
  constructor(unreachedMs: number) {
    this.#unreachedMs = unreachedMs;
  }

  /** Notes the end of a request; any answer, a refusal included, shows that the node reaches receivers. */
  note(destinationId: string, hasAnswer: boolean, moment: number): void {
    if (hasAnswer) {
      this.forget();
      return;
    }
    this.#since ??= moment;
    this.#unreached.add(destinationId);
  }

  isCutOff(moment: number): boolean {
    if (this.#since === null || this.#unreached.size < FEWEST_DESTINATIONS) return false;
    return moment - this.#since >= this.#unreachedMs;
  }

  forget(): void {
    this.#since = null;
    this.#unreached.clear();
  }
}
