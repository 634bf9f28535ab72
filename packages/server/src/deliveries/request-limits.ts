/** Limits of concurrent requests and of requests per second, over all destinations. */
import type { Outbox } from './outbox.ts';
import type { SenderBounds } from './sender-bounds.ts';
import { TokenBucket } from './token-bucket.ts';

/** Maximum number of concurrent requests to destinations that fail, answer slowly or never answered. */
const MOST_SLOW = 128;
/** The part of the requests per second that such destinations may use. */
const SHARE_OF_SLOW = 1 / 2;

export class RequestLimits {
  readonly #bounds: SenderBounds;
  readonly #all: TokenBucket;
  readonly #toSlow: TokenBucket;
  readonly #toFailing: TokenBucket;
  readonly #ofOwner = new Map<string, number>();
  readonly #ofHost = new Map<string, number>();
  #slow = 0;

  /** @param moment by the monotonic clock, in milliseconds */
  constructor(bounds: SenderBounds, moment: number) {
    this.#bounds = bounds;
    this.#all = new TokenBucket(bounds.perSecond, moment);
    this.#toSlow = new TokenBucket(Math.max(1, bounds.perSecond * SHARE_OF_SLOW), moment);
    this.#toFailing = new TokenBucket(bounds.perSecondToFailing, moment);
  }

  /** Returns true if a request to some failing destination may begin. */
  isTurnOfFailing(moment: number): boolean {
    return this.#toFailing.has(moment);
  }

  /** Returns true if a request to a destination may begin beside `underWay` others. */
  admits(outbox: Outbox, underWay: number, moment: number): boolean {
    const { atOnce, reserved, atOnceOfOwner, atOnceOfHost } = this.#bounds;
    if (underWay >= (outbox.isQuick ? atOnce : atOnce - reserved)) return false;
    if (!outbox.isQuick && (this.#slow >= MOST_SLOW || !this.#toSlow.has(moment))) return false;
    if ((this.#ofOwner.get(outbox.owner) ?? 0) >= atOnceOfOwner) return false;
    if ((this.#ofHost.get(outbox.host) ?? 0) >= atOnceOfHost) return false;
    if (outbox.isFailing && !this.#toFailing.has(moment)) return false;
    return this.#all.has(moment) && outbox.bucket.has(moment);
  }

  /** Counts the start of a request; call {@link admits} first. */
  begin(outbox: Outbox): void {
    if (outbox.isFailing) this.#toFailing.take();
    this.#all.take();
    outbox.bucket.take();
    outbox.countedAsSlow.push(!outbox.isQuick);
    if (!outbox.isQuick) {
      this.#slow += 1;
      this.#toSlow.take();
    }
    add(this.#ofOwner, outbox.owner, 1);
    add(this.#ofHost, outbox.host, 1);
  }

  /** Counts the end of a request. */
  end(outbox: Outbox): void {
    if (outbox.countedAsSlow.shift() === true) this.#slow -= 1;
    add(this.#ofOwner, outbox.owner, -1);
    add(this.#ofHost, outbox.host, -1);
  }
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
