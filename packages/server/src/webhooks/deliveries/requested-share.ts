/** The part of a destination's requests that requested deliveries (`resend`, `replay`) may take: a quarter. */
import { TokenBucket } from './token-bucket.ts';

const SHARE = 1 / 4;

export class RequestedShare {
  #bucket: TokenBucket;
  #underWay = 0;

  /** @param moment by the monotonic clock, in milliseconds */
  constructor(requestsPerSecond: number, moment: number) {
    this.#bucket = bucketOf(requestsPerSecond, moment);
  }

  /** Applies another rate. */
  follow(requestsPerSecond: number, moment: number): void {
    this.#bucket = bucketOf(requestsPerSecond, moment);
  }

  /** Returns true if another one may begin, of `window` concurrent requests; one at a time always may. */
  admits(window: number, moment: number): boolean {
    return this.#underWay < Math.max(1, Math.floor(window * SHARE)) && this.#bucket.has(moment);
  }

  begin(): void {
    this.#underWay += 1;
    this.#bucket.take();
  }

  end(): void {
    this.#underWay -= 1;
  }
}

function bucketOf(requestsPerSecond: number, moment: number): TokenBucket {
  return new TokenBucket(Math.max(1, requestsPerSecond * SHARE), moment);
}
