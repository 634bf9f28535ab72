/**
 * Reply bytes that clients have not read yet, bounded per network and for the process. A client that does not read its
 * replies costs memory, so at a bound the slowest reader loses its connection.
 *
 * A reply of the usual length is not tracked when it is sent, because the system takes it over at once. Long replies
 * are counted from beginning to end; the others only if a periodic check of all connections finds them unsent.
 * Pipelined requests that were parsed and wait behind a reply count as well, because a few bytes of input become
 * kilobytes of objects.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { elapsedMs } from '../../ground/base/clock.ts';
import { networksOf } from '../../ground/base/network-address.ts';
import { whenAnswered } from './when-answered.ts';

/** A longer body is sent in pieces of this size. */
export const PIECE_BYTES = 16 * 1024;
/** Piece size for a body that is in memory for one reader only; larger pieces finish sooner. */
const OWN_PIECE_BYTES = 64 * 1024;
/** A reader that takes longer than this over a reply may be closed to make room for others of its network. */
const SLOW_AFTER_MS = 5_000;

/** Bounds of the unsent bytes. */
export interface UnsentBounds {
  /** For the whole process. */
  readonly most: number;
  /** For one network; null for no bound other than that of the process. */
  readonly maxOfNetwork: number | null;
}

/** A long reply and its client. */
export interface LongAnswer {
  readonly body: Uint8Array;
  /** True if other replies share the same body in memory. If so, a reader costs no more than the piece on its way. */
  readonly isShared: boolean;
  /** Null when the client's address is unknown; no network bound applies then. */
  readonly address: string | null;
}

/** The unsent reply of one connection, or its waiting requests. */
interface Reader {
  readonly socket: Socket;
  readonly networks: readonly { readonly name: string; readonly times: number }[];
  /** Start of the reply; of waiting requests, the last time that one of them began. By {@link elapsedMs}. */
  since: number;
  bytes: number;
  /** Bytes of the reply flushed so far. */
  taken: number;
}

/** Counts unsent bytes and the bytes of waiting requests, and closes connections of slow readers. */
export class UnsentAnswers {
  readonly #bounds: UnsentBounds;
  readonly #clock: () => number;
  readonly #onCut: () => void;
  readonly #readers = new Map<Socket, Reader>();
  /** Connections with requests that wait behind a reply. */
  readonly #waiting = new Map<Socket, Reader>();
  readonly #ofNetworks = new Map<string, number>();
  #bytes = 0;

  /**
   * @param onCut called for each connection that is closed
   * @param clock milliseconds since an arbitrary moment
   */
  constructor(bounds: UnsentBounds, onCut: () => void = () => {}, clock: () => number = elapsedMs) {
    this.#bounds = bounds;
    this.#onCut = onCut;
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Sends the body of a response whose headers have been written. A long body is sent in pieces, each after the
   * previous one has been flushed.
   */
  send(response: ServerResponse, { body, isShared, address }: LongAnswer): void {
    if (response.req.method === 'HEAD') return void response.end();
    if (body.length <= PIECE_BYTES) return void response.end(body);
    const { socket } = response.req;
    const reader = this.#begin(socket, address, isShared ? PIECE_BYTES : body.length);
    whenAnswered(response, () => this.#end(reader));
    const pieceBytes = isShared ? PIECE_BYTES : OWN_PIECE_BYTES;
    let from = 0;
    const sendNext = (error?: Error | null) => {
      if (error) return;
      reader.taken = from;
      const piece = body.subarray(from, from + pieceBytes);
      from += piece.length;
      if (from < body.length) response.write(piece, sendNext);
      else response.end(piece);
    };
    sendNext();
    this.#cutBeyond(reader);
  }

  /**
   * Counts a parsed request that waits behind a reply.
   *
   * @param bytes its approximate size in memory
   * @param addressOf the address that the connection counts towards; null for none
   */
  wait(socket: Socket, bytes: number, addressOf: (socket: Socket) => string | null): void {
    let reader = this.#waiting.get(socket);
    if (reader === undefined) {
      reader = this.#readerOf(socket, addressOf(socket));
      this.#waiting.set(socket, reader);
      socket.once('close', () => this.#forgetWaiting(socket));
    }
    this.#add(reader, bytes);
    this.#cutBeyond(reader);
  }

  /** Counts a waiting request no more, because it has begun. */
  waitsNoMore(socket: Socket, bytes: number): void {
    const reader = this.#waiting.get(socket);
    if (reader === undefined) return;
    reader.since = this.#clock();
    this.#add(reader, -bytes);
  }

  /** How slowly a connection takes its reply; null if it has no long one. */
  slownessOf(socket: Socket): number | null {
    const reader = this.#readers.get(socket);
    return reader === undefined ? null : this.#slowness(reader);
  }

  /**
   * Closes the slowest reader of a network that is at its call limit, if it has been reading for a while. Otherwise it
   * could keep other calls of its network refused indefinitely.
   */
  makeRoomIn(address: string | null): void {
    if (address === null) return;
    const names = networksOf(address).map(({ name }) => name);
    const isSlow = (reader: Reader) =>
      reader.networks.some(({ name }) => names.includes(name)) && this.#clock() - reader.since >= SLOW_AFTER_MS;
    this.#cut([...this.#readers.values()].filter(isSlow));
  }

  /**
   * Checks all connections for unsent replies of the usual length.
   *
   * @param addressOf the address that a connection counts towards; null for none
   */
  look(sockets: Iterable<Socket>, addressOf: (socket: Socket) => string | null): void {
    for (const socket of sockets) {
      const bytes = socket.destroyed ? 0 : socket.writableLength;
      const known = this.#readers.get(socket);
      if (known === undefined) {
        if (bytes > 0) this.#cutBeyond(this.#begin(socket, addressOf(socket), bytes));
      } else if (bytes === 0) this.#end(known);
      else if (bytes > known.bytes) {
        this.#add(known, bytes - known.bytes);
        this.#cutBeyond(known);
      }
    }
  }

  #begin(socket: Socket, address: string | null, bytes: number): Reader {
    const before = this.#readers.get(socket);
    if (before !== undefined) this.#end(before);
    const reader = this.#readerOf(socket, address);
    this.#readers.set(socket, reader);
    this.#add(reader, bytes);
    return reader;
  }

  #readerOf(socket: Socket, address: string | null): Reader {
    const networks = address === null ? [] : networksOf(address);
    return { socket, networks, since: this.#clock(), bytes: 0, taken: 0 };
  }

  #end(reader: Reader): void {
    if (this.#readers.get(reader.socket) !== reader) return;
    this.#readers.delete(reader.socket);
    this.#add(reader, -reader.bytes);
  }

  #forgetWaiting(socket: Socket): void {
    const reader = this.#waiting.get(socket);
    if (reader === undefined) return;
    this.#waiting.delete(socket);
    this.#add(reader, -reader.bytes);
  }

  #add(reader: Reader, bytes: number): void {
    reader.bytes += bytes;
    this.#bytes += bytes;
    for (const { name } of reader.networks) {
      const ofNetwork = (this.#ofNetworks.get(name) ?? 0) + bytes;
      if (ofNetwork === 0) this.#ofNetworks.delete(name);
      else this.#ofNetworks.set(name, ofNetwork);
    }
  }

  #cutBeyond({ networks }: Reader): void {
    const { most, maxOfNetwork } = this.#bounds;
    if (maxOfNetwork !== null)
      for (const { name, times } of networks)
        while ((this.#ofNetworks.get(name) ?? 0) > maxOfNetwork * times) {
          if (!this.#cutOneOf(this.#all().filter((each) => each.networks.some((one) => one.name === name)))) break;
        }
    while (this.#bytes > most) if (!this.#cutOneOf(this.#all())) break;
  }

  #all(): Reader[] {
    const waiting = [...this.#waiting.values()].filter(({ bytes }) => bytes > 0);
    return [...this.#readers.values(), ...waiting];
  }

  /** Like {@link #cut}, but spares a single connection: what it has is within the allowed length. */
  #cutOneOf(readers: readonly Reader[]): boolean {
    const [first] = readers;
    return readers.some(({ socket }) => socket !== first?.socket) && this.#cut(readers);
  }

  /** Closes the connection of the slowest of these readers; false if there is none. */
  #cut(readers: Iterable<Reader>): boolean {
    let slowest: Reader | undefined;
    let slowness = -1;
    for (const reader of readers) {
      const its = this.#slowness(reader);
      if (its > slowness) [slowest, slowness] = [reader, its];
    }
    if (slowest === undefined) return false;
    const { socket } = slowest;
    const unsent = this.#readers.get(socket);
    if (unsent !== undefined) this.#end(unsent);
    this.#forgetWaiting(socket);
    socket.destroy();
    this.#onCut();
    return true;
  }

  /** Ranks readers by least progress relative to the unsent bytes; 0 for a new reader. */
  #slowness({ since, bytes, taken }: Reader): number {
    return ((this.#clock() - since) * bytes) / (taken + PIECE_BYTES);
  }
}
