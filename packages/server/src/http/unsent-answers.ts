/**
 * Answers that their readers have not taken yet, bounded in bytes for each network and for the process. Whoever does not
 * read what it asked for costs memory: where a bound is reached, the slowest reader loses its connection.
 *
 * An answer of the usual length is not looked at when it is sent: the system takes it over at once. Long ones are counted
 * from their beginning to their end, the others where a look at all connections finds them unsent.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { elapsedMs } from '../clock.ts';
import { networksOf } from '../network-address.ts';
import { whenAnswered } from './when-answered.ts';

/** A longer body is sent in pieces. */
export const PIECE_BYTES = 16 * 1024;
/** Pieces of an answer that is in memory for one reader: larger ones end sooner. */
const OWN_PIECE_BYTES = 64 * 1024;
/** Whoever takes longer over an answer can be asked to make room for others of its network. */
const SLOW_AFTER_MS = 5_000;

/** How many bytes may be unsent. */
export interface UnsentBounds {
  /** Of the whole process. */
  readonly most: number;
  /** Of one network; null: no other bound than that of the process. */
  readonly mostOfNetwork: number | null;
}

/** Which answer is sent, and to whom. */
export interface LongAnswer {
  readonly body: Buffer;
  /** Whether other answers have the same body in memory: then a reader costs no more than the piece on its way. */
  readonly isShared: boolean;
  /** Null where the client's address is not known: no bound of a network holds then. */
  readonly address: string | null;
}

/** What one connection has not taken yet. */
interface Reader {
  readonly socket: Socket;
  readonly networks: readonly { readonly name: string; readonly times: number }[];
  readonly since: number;
  bytes: number;
  /** Of the answer, so far. */
  taken: number;
}

/** Counts what is unsent, and closes connections of slow readers. */
export class UnsentAnswers {
  readonly #bounds: UnsentBounds;
  readonly #clock: () => number;
  readonly #onCut: () => void;
  readonly #readers = new Map<Socket, Reader>();
  readonly #ofNetworks = new Map<string, number>();
  #bytes = 0;

  /**
   * @param onCut hears of each connection that is closed
   * @param clock milliseconds since some moment
   */
  constructor(bounds: UnsentBounds, onCut: () => void = () => {}, clock: () => number = elapsedMs) {
    this.#bounds = bounds;
    this.#onCut = onCut;
    this.#clock = clock;
  }

  /** Bytes that are unsent. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Sends the body of a response whose headers have been written; in pieces, each when the one before has been taken. */
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

  /** How slowly a connection takes its answer; null where it has none that is long. */
  slownessOf(socket: Socket): number | null {
    const reader = this.#readers.get(socket);
    return reader === undefined ? null : this.#slowness(reader);
  }

  /**
   * Closes the connection of the slowest reader of a network whose calls are all under way, if it has been at it for long:
   * others of its network would otherwise be refused for as long as it likes.
   */
  makeRoomIn(address: string | null): void {
    if (address === null) return;
    const names = networksOf(address).map(({ name }) => name);
    const isSlow = (reader: Reader) =>
      reader.networks.some(({ name }) => names.includes(name)) && this.#clock() - reader.since >= SLOW_AFTER_MS;
    this.#cut([...this.#readers.values()].filter(isSlow));
  }

  /**
   * Looks at all connections for usual answers that have not left.
   *
   * @param addressOf the address that a connection counts for, null for none
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
          // One reader alone is no queue of answers: its answer is as long as answers may be.
          if (readers.length < 2 || !this.#cut(readers)) break;
        }
    while (this.#bytes > most && this.#readers.size > 1) if (!this.#cut(this.#readers.values())) break;
  }

  /** Closes the connection of the slowest of these readers; false where there is none. */
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

  /** The least progress for what is unsent. It is 0 for whoever has just begun. */
  #slowness({ since, bytes, taken }: Reader): number {
    return ((this.#clock() - since) * bytes) / (taken + PIECE_BYTES);
  }
}
