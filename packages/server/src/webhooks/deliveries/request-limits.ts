/** Limits of concurrent requests and of requests per second, over all destinations. */
import { hostOf } from '../destinations/address-policy.ts';
import type { Addresses } from './addresses.ts';
import { HostWaits, type OwnedHost } from './host-waits.ts';
import type { Outbox } from './outbox.ts';
import type { Target } from './request.ts';
import type { SenderBounds } from './sender-bounds.ts';
import { TokenBucket } from './token-bucket.ts';

/** Maximum number of concurrent requests to destinations that fail, answer slowly or never answered. */
const MAX_SLOW = 128;
/** The part of the requests per second that such destinations may use at most. */
const SHARE_OF_SLOW = 1 / 2;
/** The part of a second's requests to them that may begin together, because a handshake costs milliseconds. */
const BURST_TO_SLOW = 1 / 5;
/** The part of a second's requests that may begin together, so that rounds far apart send fewer; or this number. */
const BURST = { share: 1 / 20, least: 10 } as const;
/** Addresses of one name that a request tries, one after the other, until one accepts the connection. */
const MAX_TRIED = 4;

/** The IP and port that a request counts at; {@link RequestLimits.moveOn} changes it. */
export interface Place extends Target {
  readonly url: URL;
  address: string | null;
  isLast: boolean;
  readonly tried: Set<string>;
  /** The host of which other requests of the owner wait for this one; null without one. */
  triesHost: OwnedHost | null;
}

export class RequestLimits {
  readonly #bounds: SenderBounds;
  readonly #addresses: Pick<Addresses, 'of' | 'putLast'>;
  readonly #all: TokenBucket;
  readonly #toSlow: TokenBucket;
  readonly #toFailing: TokenBucket;
  readonly #ofOwner = new Map<string, number>();
  /** By IP and port. */
  readonly #atAddress = new Map<string, number>();
  #slow = 0;
  readonly hosts: HostWaits;

  /** @param moment by the monotonic clock, in milliseconds */
  constructor(bounds: SenderBounds, addresses: Pick<Addresses, 'of' | 'putLast'>, moment: number) {
    this.#bounds = bounds;
    this.hosts = new HostWaits(bounds.betweenTriesOfHostMs);
    this.#addresses = addresses;
    this.#all = new TokenBucket(bounds.perSecond, moment, burstOf(bounds.perSecond));
    const toSlow = Math.max(1, Math.min(bounds.perSecondToSlow, bounds.perSecond * SHARE_OF_SLOW));
    this.#toSlow = new TokenBucket(toSlow, moment, Math.max(1, toSlow * BURST_TO_SLOW));
    this.#toFailing = new TokenBucket(bounds.perSecondToFailing, moment);
  }

  /** Returns true if a request to some failing destination may begin. */
  isTurnOfFailing(moment: number): boolean {
    return this.#toFailing.has(moment);
  }

  /**
   * Returns the place for a request to a destination beside `underWay` others; null if it may not begin now, for
   * example while its name is looked up.
   *
   * @param now milliseconds since 1970
   * @param moment by the monotonic clock
   */
  find(outbox: Outbox, underWay: number, now: number, moment: number): Place | null {
    const { atOnce, reserved, atOnceOfOwner } = this.#bounds;
    if (underWay >= (outbox.isQuick ? atOnce : atOnce - reserved)) return null;
    if (!outbox.isQuick && (this.#slow >= MAX_SLOW || !this.#toSlow.has(moment))) return null;
    if ((this.#ofOwner.get(outbox.owner) ?? 0) >= atOnceOfOwner) return null;
    if (outbox.isBackedOff && !this.#toFailing.has(moment)) return null;
    if (outbox.isBackedOff && !this.hosts.isTurnOfFailing(ownedHostOf(outbox), moment)) return null;
    if (!outbox.isProven && !this.hosts.mayAsk(ownedHostOf(outbox), now)) return null;
    if (!this.#all.has(moment) || !outbox.bucket.has(moment)) return null;
    return this.#findAddress(outbox);
  }

  /**
   * Returns the place for a test beside `underWay` requests. A test is sent while its destination fails, so no rate
   * applies to it, but it counts for its owner and its address.
   */
  findForTest(outbox: Outbox, underWay: number): Place | null {
    const { atOnce, atOnceOfOwner } = this.#bounds;
    if (underWay >= atOnce || (this.#ofOwner.get(outbox.owner) ?? 0) >= atOnceOfOwner) return null;
    return this.#findAddress(outbox);
  }

  #findAddress(outbox: Outbox): Place | null {
    const url = new URL(outbox.destination.url);
    const addresses = this.#addresses.of(url, outbox.isQuick);
    if (addresses === null) return null;
    const place: Place = { url, addresses, address: null, isLast: true, tried: new Set(), triesHost: null };
    // A request to a name without an address fails at once.
    return addresses.length === 0 || this.#choose(place) ? place : null;
  }

  /** Counts the start of a request at a place that was just found. */
  begin(outbox: Outbox, place: Place, moment: number): void {
    if (outbox.isBackedOff) {
      this.#toFailing.take();
      this.hosts.noteTried(ownedHostOf(outbox), moment);
    }
    if (!outbox.isProven && this.hosts.beginTry(ownedHostOf(outbox))) place.triesHost = ownedHostOf(outbox);
    this.#all.take();
    outbox.bucket.take();
    outbox.countedAsSlow.push(!outbox.isQuick);
    if (!outbox.isQuick) {
      this.#slow += 1;
      this.#toSlow.take();
    }
    add(this.#ofOwner, outbox.owner, 1);
    this.#enter(place);
  }

  /** Counts the end of a request. */
  end(outbox: Outbox, place: Place): void {
    if (outbox.countedAsSlow.shift() === true) this.#slow -= 1;
    add(this.#ofOwner, outbox.owner, -1);
    if (place.triesHost !== null) this.hosts.endTry(place.triesHost);
    this.#leave(place);
  }

  /** Counts the start of a test at a place that was just found. */
  beginTest(owner: string, place: Place): void {
    add(this.#ofOwner, owner, 1);
    this.#enter(place);
  }

  /** Counts the end of a test. */
  endTest(owner: string, place: Place): void {
    add(this.#ofOwner, owner, -1);
    this.#leave(place);
  }

  /** Counts a request at its address alone. */
  #enter(place: Place): void {
    if (place.address !== null) add(this.#atAddress, addressAndPort(place, place.address), 1);
  }

  /** Counts the end of a request at its address alone. */
  #leave(place: Place): void {
    if (place.address !== null) add(this.#atAddress, addressAndPort(place, place.address), -1);
  }

  /**
   * Moves a request, which its address did not accept, to another address of the name; false if none is left that has
   * room.
   */
  moveOn(place: Place): boolean {
    const { url, address } = place;
    if (address === null) return false;
    this.#addresses.putLast(url, address);
    if (place.tried.size >= MAX_TRIED) return false;
    this.#leave(place);
    const hasMoved = this.#choose(place);
    this.#enter(place);
    return hasMoved;
  }

  /** Chooses an untried address with room. */
  #choose(place: Place): boolean {
    const hasRoom = (address: string) =>
      (this.#atAddress.get(addressAndPort(place, address)) ?? 0) < this.#bounds.atOnceOfAddress;
    const [next, ...others] = place.addresses.filter((each) => !place.tried.has(each) && hasRoom(each));
    if (next === undefined) return false;
    place.tried.add(next);
    place.address = next;
    place.isLast = others.length === 0 || place.tried.size >= MAX_TRIED;
    return true;
  }
}

/** The host that a destination names, with its owner. */
export function ownedHostOf({ owner, destination }: Outbox): OwnedHost {
  return { owner, host: hostOf(destination.url) };
}

function burstOf(perSecond: number): number {
  return Math.min(perSecond, Math.max(BURST.least, perSecond * BURST.share));
}

function addressAndPort({ url: { protocol, port } }: Place, address: string): string {
  return `${address} ${port === '' ? protocol : port}`;
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
