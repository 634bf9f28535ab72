/**
 * How many connections there may be, of each network and altogether. Beyond that one that nobody uses is closed, and whoever
 * comes is let in: a campus whose apps share an address would otherwise be locked out by those that came first.
 */
import type { Socket } from 'node:net';
import { elapsedMs } from '../clock.ts';
import { canonicalAddress, type Network, networksOf } from '../network-address.ts';

/** What a connection is doing. */
export interface ConnectionUse {
  /** Whether all its requests have been answered, and the answers have been sent. */
  readonly isIdle: boolean;
  /** When its last request came, by {@link elapsedMs}. */
  readonly lastRequestAt: number;
}

/** What connections are bounded by. */
export interface ConnectionBounds {
  /** Connections altogether. */
  readonly most: number;
  /** Connections of one network; null: no other bound than `most`. */
  readonly mostOfNetwork: number | null;
  /** For how long a connection is left alone that has not come to its first request, or waits for an answer. */
  readonly patienceMs: number;
  /** Whether an address is a proxy's, whose connections are those of many clients: no bound of a network holds for it. */
  readonly isProxy: (address: string) => boolean;
}

/** What is known of connections elsewhere. */
export interface ConnectionFacts {
  /** Null before the first request. */
  readonly useOf: (socket: Socket) => ConnectionUse | null;
  /** How slowly it takes a long answer; null where it takes none. */
  readonly slownessOf: (socket: Socket) => number | null;
  /** Hears of each connection that is closed for another one. */
  readonly onClosed: () => void;
}

interface Open {
  readonly socket: Socket;
  readonly since: number;
  readonly groups: readonly Group[];
  /** The socket on which HTTP is spoken: with TLS another one than that which was accepted, once its handshake is done. */
  speaking: Socket | null;
}

/** The connections of a network. */
interface Group {
  readonly name: string;
  readonly times: number;
  readonly members: Set<Open>;
  /** Until when nothing is looked for in it, because all that is left has just come; by the clock. */
  quietUntil: number;
}

/** After a look at a network that found too few connections to close, none is taken at it for so long. */
const QUIET_MS = 100;
/** What is to be closed first has the greatest number: whole kinds of connections lie so far apart. */
const KIND = 1e12;

/** The open connections of a service. */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #facts: ConnectionFacts;
  readonly #clock: () => number;
  readonly #open = new Map<Socket, Open>();
  /** Those whose TLS handshake is not done, by the port and address of the other side. */
  readonly #shaking = new Map<string, Open>();
  readonly #networks = new Map<string, Group>();

  /** @param clock milliseconds since some moment */
  constructor(bounds: ConnectionBounds, facts: ConnectionFacts, clock: () => number = elapsedMs) {
    this.#bounds = bounds;
    this.#facts = facts;
    this.#clock = clock;
  }

  /** How many there are. */
  get count(): number {
    return this.#open.size;
  }

  /** Takes in a connection that was accepted, and closes another one where there are too many. */
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
      this.#closeLeastUsed(members, Math.ceil(members.size / 100), true, open);
    }
  }

  /** Notes the socket on which HTTP is spoken over an accepted connection. */
  speaks(socket: Socket): void {
    const other = otherSideOf(socket);
    const open = this.#shaking.get(other);
    if (open === undefined) return;
    this.#shaking.delete(other);
    open.speaking = socket;
  }

  /** The address that a connection counts for; null where it counts for none. */
  addressOf({ remoteAddress = '' }: Socket): string | null {
    const address = canonicalAddress(remoteAddress);
    return address === null || this.#bounds.isProxy(address) ? null : address;
  }

  /** Closes what there is too much of, since connections that have just come are left alone at first. */
  look(): void {
    for (const group of this.#networks.values()) this.#closeBeyond(group);
  }

  /** Closes all. */
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
    const { mostOfNetwork } = this.#bounds;
    const excess = mostOfNetwork === null ? 0 : group.members.size - mostOfNetwork * group.times;
    if (excess <= 0 || this.#clock() < group.quietUntil) return;
    const closed = this.#closeLeastUsed(group.members, excess, false, newcomer);
    if (closed < excess) group.quietUntil = this.#clock() + QUIET_MS;
  }

  /** The connections of the network that has the most for its size; those of proxies only where there are no others. */
  #largest(): ReadonlySet<Open> {
    let largest: Group | undefined;
    for (const group of this.#networks.values())
      if (largest === undefined || group.members.size * largest.times > largest.members.size * group.times)
        largest = group;
    return largest?.members ?? new Set(this.#open.values());
  }

  /**
   * Closes up to so many connections.
   *
   * @param mustClose whether those that have just come may be among them
   * @returns how many were closed
   */
  #closeLeastUsed(among: ReadonlySet<Open>, most: number, mustClose: boolean, newcomer?: Open): number {
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
      this.#facts.onClosed();
    }
    return closed.length;
  }

  /**
   * How little a connection is used: most of all where it has been idle longest, then where it reads slowest, then where it
   * has waited longest for the rest of its request or its answer. Less than 0 where it has just come and must not be closed.
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
