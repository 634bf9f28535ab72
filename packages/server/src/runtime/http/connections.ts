/**
 * Bounds the number of connections, per network and in total. Beyond the bound an unused connection is closed and the
 * new one is accepted. Otherwise a campus whose apps share an address would be locked out by the first apps to connect.
 */
import type { Socket } from 'node:net';
import { elapsedMs } from '../../ground/base/clock.ts';
import { canonicalAddress, type Network, networksOf } from '../../ground/base/network-address.ts';

/** The activity of a connection. */
export interface ConnectionUse {
  /** True if all its requests have been answered and the replies sent. */
  readonly isIdle: boolean;
  /** Arrival of its last request, by {@link elapsedMs}. */
  readonly lastRequestAt: number;
}

/** Bounds of the number of connections. */
export interface ConnectionBounds {
  /** Connections in total. */
  readonly most: number;
  /** Connections of one network; null for no bound other than `most`. */
  readonly maxOfNetwork: number | null;
  /** Time in milliseconds for which a connection is spared before its first request, or while it waits for a reply. */
  readonly patienceMs: number;
  /** True if an address belongs to a proxy. Its connections serve many clients, so no network bound applies to it. */
  readonly isProxy: (address: string) => boolean;
}

/** The bound of connections that was reached: that of a network, or the total. */
export type ConnectionBound = 'network' | 'connections';

/** Facts about connections that other modules know. */
export interface ConnectionFacts {
  /** Null before the first request. */
  readonly useOf: (socket: Socket) => ConnectionUse | null;
  /** How slowly the client takes a long reply; null if it takes none. */
  readonly slownessOf: (socket: Socket) => number | null;
  /** Called for each connection that is closed in favour of another, with the bound that was reached. */
  readonly onClosed: (bound: ConnectionBound) => void;
}

interface Open {
  readonly socket: Socket;
  readonly since: number;
  readonly groups: readonly Group[];
  /** The socket that carries HTTP. With TLS it differs from the accepted socket, once the handshake is complete. */
  speaking: Socket | null;
}

/** The connections of a network. */
interface Group {
  readonly name: string;
  readonly times: number;
  readonly members: Set<Open>;
  /** Until this time no connection is looked for in the group, because all that remain are new. */
  quietUntil: number;
}

/** Pause after a search of a network that found too few connections to close. */
const QUIET_MS = 100;
/** Distance between classes of connections in the order of closing; the greatest number is closed first. */
const KIND = 1e12;

export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #facts: ConnectionFacts;
  readonly #clock: () => number;
  readonly #open = new Map<Socket, Open>();
  /** Connections before the end of their TLS handshake, by the port and address of the peer. */
  readonly #shaking = new Map<string, Open>();
  readonly #networks = new Map<string, Group>();

  /** @param clock milliseconds since an arbitrary moment */
  constructor(bounds: ConnectionBounds, facts: ConnectionFacts, clock: () => number = elapsedMs) {
    this.#bounds = bounds;
    this.#facts = facts;
    this.#clock = clock;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Adds an accepted connection, and closes another if there are too many. */
  add(socket: Socket, isTls: boolean): void {
    const address = this.addressOf(socket);
    const groups = address === null ? [] : networksOf(address).map((network) => this.#groupOf(network));
    const open: Open = { socket, since: this.#clock(), groups, speaking: isTls ? null : socket };
    const other = otherSideOf(socket);
    this.#open.set(socket, open);
    if (isTls) this.#shaking.set(other, open);
    for (const { members } of groups) members.add(open);
    socket.once('close', () => {
      if (this.#shaking.get(other) === open) this.#shaking.delete(other);
      this.#forget(open);
    });
    for (const group of groups) this.#closeBeyond(group, open);
    if (this.#open.size > this.#bounds.most) {
      const members = this.#largest();
      this.#closeLeastUsed(members, Math.ceil(members.size / 100), 'connections', open);
    }
  }

  /** Records the socket that carries HTTP on an accepted connection. */
  speaks(socket: Socket): void {
    const other = otherSideOf(socket);
    const open = this.#shaking.get(other);
    if (open === undefined) return;
    this.#shaking.delete(other);
    open.speaking = socket;
  }

  /** The address that a connection counts towards; null if it counts towards none. */
  addressOf({ remoteAddress = '' }: Socket): string | null {
    const address = canonicalAddress(remoteAddress);
    return address === null || this.#bounds.isProxy(address) ? null : address;
  }

  /** Closes excess connections that were too new to be closed earlier. */
  look(): void {
    for (const group of this.#networks.values()) this.#closeBeyond(group);
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #groupOf({ name, times }: Network): Group {
    const known = this.#networks.get(name);
    if (known !== undefined) return known;
    const group = { name, times, members: new Set<Open>(), quietUntil: 0 };
    this.#networks.set(name, group);
    return group;
  }

  #forget(open: Open): void {
    this.#open.delete(open.socket);
    for (const group of open.groups) {
      group.members.delete(open);
      if (group.members.size === 0 && this.#networks.get(group.name) === group) this.#networks.delete(group.name);
    }
  }

  #closeBeyond(group: Group, newcomer?: Open): void {
    const { maxOfNetwork } = this.#bounds;
    const excess = maxOfNetwork === null ? 0 : group.members.size - maxOfNetwork * group.times;
    if (excess <= 0 || this.#clock() < group.quietUntil) return;
    const closed = this.#closeLeastUsed(group.members, excess, 'network', newcomer);
    if (closed < excess) group.quietUntil = this.#clock() + QUIET_MS;
  }

  /** The connections of the network that has the most for its size; those of proxies only if there are no others. */
  #largest(): ReadonlySet<Open> {
    let largest: Group | undefined;
    for (const group of this.#networks.values())
      if (largest === undefined || group.members.size * largest.times > largest.members.size * group.times)
        largest = group;
    return largest?.members ?? new Set(this.#open.values());
  }

  /**
   * Closes at most `most` connections.
   *
   * @param bound the bound that was reached; at the total, new connections may be among them
   * @returns the number closed
   */
  #closeLeastUsed(among: ReadonlySet<Open>, most: number, bound: ConnectionBound, newcomer?: Open): number {
    const mustClose = bound === 'connections';
    const now = this.#clock();
    const unused: { readonly open: Open; readonly number: number }[] = [];
    for (const open of among) {
      const number = open === newcomer ? -1 : this.#unused(open, now, mustClose);
      if (number < 0) continue;
      const [first] = unused;
      if (most > 1 || first === undefined) unused.push({ open, number });
      else if (number > first.number) unused[0] = { open, number };
    }
    const closed = unused.sort((one, other) => other.number - one.number).slice(0, most);
    for (const { open } of closed) {
      this.#forget(open);
      open.socket.destroy();
      this.#facts.onClosed(bound);
    }
    return closed.length;
  }

  /**
   * Rank of a connection for closing. The longest idle comes first, then the slowest reader, then the one that has
   * waited longest for the rest of its request or for its reply. Negative if it is new and must not be closed.
   */
  #unused({ since, speaking }: Open, now: number, mustClose: boolean): number {
    const use = speaking === null ? null : this.#facts.useOf(speaking);
    const forMs = now - (use?.lastRequestAt ?? since);
    const hasJustCome = forMs < this.#bounds.patienceMs;
    if (use?.isIdle || (use === null && !hasJustCome)) return 3 * KIND + forMs;
    const slowness = speaking === null ? null : this.#facts.slownessOf(speaking);
    if (slowness !== null) return 2 * KIND + Math.min(slowness, KIND);
    if (!hasJustCome) return KIND + forMs;
    return mustClose ? forMs : -1;
  }
}

function otherSideOf({ remotePort, remoteAddress }: Socket): string {
  return `${remotePort} ${remoteAddress}`;
}
