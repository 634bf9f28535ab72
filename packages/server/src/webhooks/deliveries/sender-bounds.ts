/** Bounds of the sender. */
import { MINUTE_MS } from '../../ground/base/clock.ts';
import { GIVE_UP_MS } from './schedule.ts';

/** Bounds of the sender; tests set small ones. */
export interface SenderBounds {
  /** Concurrent requests. The last `reserved` are for destinations whose last answer was quick. */
  readonly atOnce: number;
  readonly reserved: number;
  /** Requests under way to destinations of one owner. */
  readonly atOnceOfOwner: number;
  /** Requests under way to one IP and port. */
  readonly atOnceOfAddress: number;
  /** Requests per second in all. */
  readonly perSecond: number;
  /** Requests per second to destinations whose last answer was not quick, failing ones included. */
  readonly perSecondToSlow: number;
  /** Requests per second to failing destinations. */
  readonly perSecondToFailing: number;
  /** Minimum time between two requests of failing destinations, of any owners, to one host, in milliseconds. */
  readonly betweenTriesOfHostMs: number;
  /** Positions of the feed in a page. */
  readonly pageSize: number;
  /** Pages that a round reads for the destinations that have read furthest; it reads one fewer for those behind. */
  readonly pagesInRound: number;
  /** Deliveries of one destination in memory, and of all. */
  readonly maxPending: number;
  readonly maxPendingInAll: number;
  /** Minimum time between two writes, and between two checks for requested tests, in milliseconds. */
  readonly saveIntervalMs: number;
  /** Duration of the lease of a node, which keeps the others from sending for as long after a crash. */
  readonly leaseMs: number;
  /** Time without a request after which a destination rests, which is longer than its limit per second counts. */
  readonly restsAfterMs: number;
  /** Interval at which a node that does not send yet looks for an active destination, which another node may create. */
  readonly neededIntervalMs: number;
  /** Time without an answer of any receiver after which a node releases the lease, for as long again. */
  readonly unreachedMs: number;
  /** Time without a success after which a destination is disabled. */
  readonly giveUpMs: number;
}

export const SENDER_BOUNDS: SenderBounds = {
  atOnce: 256,
  reserved: 64,
  atOnceOfOwner: 32,
  atOnceOfAddress: 32,
  perSecond: 500,
  perSecondToSlow: 100,
  perSecondToFailing: 12,
  betweenTriesOfHostMs: 1_000,
  pageSize: 500,
  pagesInRound: 8,
  maxPending: 500,
  maxPendingInAll: 50_000,
  saveIntervalMs: 250,
  leaseMs: 15_000,
  restsAfterMs: 10_000,
  neededIntervalMs: 10_000,
  unreachedMs: MINUTE_MS,
  giveUpMs: GIVE_UP_MS,
};
