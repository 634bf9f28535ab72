/**
 * Limits a rate per second, which may be infinite; at most one second's tokens accumulate, unless `most` are given.
 * Times are monotonic milliseconds.
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #most: number;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, now: number, most = perSecond) {
    this.#perSecond = perSecond;
    this.#most = most;
    this.#tokens = most;
    this.#at = now;
  }

  /** Returns true if a token is available now. */
  has(now: number): boolean {
    // Infinity times a time of 0 is not a number.
    if (now > this.#at) this.#tokens = Math.min(this.#most, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    return this.#tokens >= 1;
  }

  /** Takes a token; call {@link has} first. */
  take(): void {
    this.#tokens -= 1;
  }
}
