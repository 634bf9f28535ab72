/**
 * Reply bytes that clients have not read yet, bounded per network and for the process. A client that does not read its
 * replies costs memory, so at a bound the slowest reader loses its connection.
 *
 * A reply of the usual length is not tracked when it is sent, because the system takes it over at once. Long replies
 * are counted from beginning to end; the others only if a periodic check of all connections finds them unsent.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { elapsedMs } from '../clock.ts';
import { networksOf } from '../network-address.ts';
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
  readonly mostOfNetwork: number | null;
}

/** A long reply and its client. */
export interface LongAnswer {
  readonly body: Buffer;
  /** True if other replies share the same body in memory. If so, a reader costs no more than the piece on its way. */
  readonly isShared: boolean;
  /** Null when the client's address is unknown; no network bound applies then. */
  readonly address: string | null;
}

/** The unsent reply of one connection. */
interface Reader {
  readonly socket: Socket;
  readonly networks: readonly { readonly name: string; readonly times: number }[];
  readonly since: number;
  bytes: number;
  /** Bytes of the reply flushed so far. */
  taken: number;
}

/** Counts unsent bytes and closes connections of slow readers. */
export class UnsentAnswers {
  readonly #bounds: UnsentBounds;
  readonly #clock: () => number;
  readonly #onCut: () => void;
  readonly #readers = new Map<Socket, Reader>();
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
    const networks = address === null ? [] : networksOf(address);
    const reader: Reader = { socket, networks, since: this.#clock(), bytes: 0, taken: 0 };
    this.#readers.set(socket, reader);
    this.#add(reader, bytes);
    return reader;
  }

  #end(reader: Reader): void {
    if (this.#readers.get(reader.socket) !== reader) return;
    this.#readers.delete(reader.socket);
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
    const { most, mostOfNetwork } = this.#bounds;
    if (mostOfNetwork !== null)
      for (const { name, times } of networks)
        while ((this.#ofNetworks.get(name) ?? 0) > mostOfNetwork * times) {
          const readers = [...this.#readers.values()].filter((each) => each.networks.some((one) => one.name === name));
          // A single reader is not a queue of replies: its reply is within the allowed length.
          if (readers.length < 2 || !this.#cut(readers)) break;
        }
    while (this.#bytes > most && this.#readers.size > 1) if (!this.#cut(this.#readers.values())) break;
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
    this.#end(slowest);
    slowest.socket.destroy();
    this.#onCut();
    return true;
  }

  /** Ranks readers by least progress relative to the unsent bytes; 0 for a new reader. */
  #slowness({ since, bytes, taken }: Reader): number {
    return ((this.#clock() - since) * bytes) / (taken + PIECE_BYTES);
  }
}
