/**
 * The calls of one connection. A client that pipelines requests has a limited number of them in progress; at the limit,
 * its connection is no longer read. While a reply that may be long (a list or a document) has not been flushed, no
 * further call begins, because replies would pile up behind a client that does not read. Replies leave in the order of
 * the requests, and a refusal of malformed bytes comes after all of them.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { elapsedMs } from '../../ground/base/clock.ts';
import type { RefusalCode } from '../../platform/endpoint/refusals.ts';
import type { ReceivedRequest } from './body.ts';
import type { ConnectionUse } from './connections.ts';

/** A request listener. */
export type Listener = (request: ReceivedRequest, response: ServerResponse) => void;

/** Dependencies and limits of {@link createConnectionCalls}. */
export interface CallsOptions {
  readonly listener: Listener;
  /** Concurrent calls per connection; null for no limit. */
  readonly limit: number | null;
  /** True if the service is stopping. If so, each connection ends after the reply to its last request. */
  readonly isClosing: () => boolean;
  /**
   * Sends the last refusal of a connection (null for none) and closes it; `request` is the request that broke off, if
   * any.
   */
  readonly dismiss: (socket: Socket, refused: RefusalCode | null, request: ReceivedRequest | null) => void;
  /**
   * Called for each parsed request that has to wait, with the bytes that it takes in memory; it may close the socket.
   */
  readonly onWait: (socket: Socket, bytes: number) => void;
  /** Called when such a request begins. */
  readonly onWaited: (socket: Socket, bytes: number) => void;
}

/** A listener that limits the calls in progress on each connection. */
export interface ConnectionCalls {
  readonly listener: Listener;
  /**
   * Ends a connection with a refusal (null for none) once the requests read from it have been answered. The first call
   * decides.
   */
  dismissAfterAnswers(socket: Socket, refused: RefusalCode | null): void;
  /** True if reading is paused until replies are sent, so that an incomplete request is not late. */
  isHeld(socket: Socket): boolean;
  /** The use of a connection; null before its first request. */
  useOf(socket: Socket): ConnectionUse | null;
}

interface Call {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
}

/**
 * Memory of a parsed request and its response without headers, and of a header's name or value. Measured at 2 KB, and
 * counted twice: the heap grows to twice its live objects before they are collected.
 */
const REQUEST_BYTES = 4096;
const HEADER_PART_BYTES = 48;
/** Bytes parsed before the limit is checked again: about 160 of the shortest possible requests. */
const SLICE_BYTES = 4096;
/** Bytes of replies that may wait in memory behind the one being sent; beyond it, no call begins. */
const MAX_UNSENT_BYTES = 256 * 1024;
const NOTHING = Buffer.alloc(0);

/** Makes the listener for a server's `request` event. */
export function createConnectionCalls(options: CallsOptions): ConnectionCalls {
  const connections = new WeakMap<Socket, Connection>();
  return {
    listener(request, response) {
      const { socket } = request;
      let connection = connections.get(socket);
      if (connection === undefined) {
        connection = new Connection(socket, options);
        connections.set(socket, connection);
      }
      connection.take(request, response);
    },
    dismissAfterAnswers(socket, refused) {
      const connection = connections.get(socket);
      if (connection === undefined) options.dismiss(socket, refused, null);
      else connection.end(refused);
    },
    isHeld: (socket) => connections.get(socket)?.isHeld === true,
    useOf: (socket) => connections.get(socket) ?? null,
  };
}

class Connection implements ConnectionUse {
  readonly #socket: Socket;
  readonly #options: CallsOptions;
  readonly #limit: number;
  /** True if calls are counted and input is read in slices; true from the first pipelined request on. */
  #isCounted = false;
  /** Calls that were passed to the listener and whose reply the system has not taken over yet. */
  #underWay = 0;
  /** Calls parsed after the limit was reached, because they arrived in one chunk with those in progress. */
  readonly #waiting: Call[] = [];
  #latestRequest: ReceivedRequest | null = null;
  #latestResponse: ServerResponse | null = null;
  /** The call started most recently. */
  #lastRequest: ReceivedRequest | null = null;
  #lastResponse: ServerResponse | null = null;
  /** Arrival of the latest request, by elapsedMs. */
  lastRequestAt = 0;
  /** True if this class, and not node, has paused the socket. */
  #isHeld = false;
  /** The refusal that ends the connection once all replies are sent; undefined while nothing ends it. */
  #lastRefusal: RefusalCode | null | undefined;

  constructor(socket: Socket, options: CallsOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#limit = options.limit ?? Number.POSITIVE_INFINITY;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#latestResponse?.writableFinished === true;
  }

  take(request: ReceivedRequest, response: ServerResponse): void {
    const previous = this.#latestResponse;
    if (previous !== null) {
      // The connection ends with the previous reply, so nobody would receive the outcome of this call.
      if (previous.headersSent && !previous.shouldKeepAlive) return;
      if (this.#options.isClosing()) previous.shouldKeepAlive = true;
      // A client that waits for each reply may send its next request before node reports the reply as sent.
      if (!this.#isCounted && (!previous.writableEnded || this.#socket.isPaused())) this.#beginToCount(previous);
    }
    this.lastRequestAt = elapsedMs();
    this.#latestRequest = request;
    this.#latestResponse = response;
    if (!this.#isCounted || this.#hasRoom()) {
      this.#start(request, response);
      return;
    }
    // The rest of a chunk is parsed even if the connection was closed in the middle of it.
    if (this.#socket.destroyed) return;
    this.#waiting.push({ request, response });
    this.#options.onWait(this.#socket, bytesOf(request));
  }

  end(refused: RefusalCode | null): void {
    if (this.#lastRefusal !== undefined) return;
    this.#lastRefusal = refused;
    this.#socket.pause();
    if (!this.#isCounted && this.#latestResponse !== null) this.#beginToCount(this.#latestResponse);
    this.#endAfterAnswers(refused);
  }

  readonly #finished = (): void => {
    this.#underWay -= 1;
    while (this.#hasRoom()) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#options.onWaited(this.#socket, bytesOf(next.request));
      this.#start(next.request, next.response);
    }
    if (this.#lastRefusal !== undefined) this.#endAfterAnswers(this.#lastRefusal);
    else if (this.#isHeld && !this.#isFull()) {
      this.#isHeld = false;
      this.#socket.resume();
    }
  };

  #start(request: ReceivedRequest, response: ServerResponse): void {
    if (this.#isCounted) this.#count(response);
    this.#lastRequest = request;
    this.#lastResponse = response;
    // A keep-alive connection must not keep a stopping service alive.
    if (response === this.#latestResponse && this.#options.isClosing()) response.shouldKeepAlive = false;
    this.#options.listener(request, response);
  }

  #count(response: ServerResponse): void {
    this.#underWay += 1;
    response.on('finish', this.#finished);
  }

  #endAfterAnswers(refused: RefusalCode | null): void {
    // A request that broke off has no reply but this refusal, unless it was refused before its body arrived.
    const latest = this.#latestRequest;
    const isBroken = latest?.complete === false && this.#latestResponse?.writableEnded === false;
    if (this.#underWay + this.#waiting.length > (isBroken ? 1 : 0)) return;
    // If the last reply has closed the connection already, nothing can follow it.
    if (this.#socket.writable) this.#options.dismiss(this.#socket, refused, isBroken ? latest : null);
  }

  /**
   * True if reading must pause. Not while a request body is still arriving, because that request could then never be
   * answered.
   */
  #isFull(): boolean {
    return !this.#hasRoom() && (this.#waiting.length > 0 || this.#latestRequest?.complete === true);
  }

  #hasRoom(): boolean {
    if (this.#underWay >= this.#limit || this.#socket.writableLength > MAX_UNSENT_BYTES) return false;
    return this.#lastRequest?.mayBeLong !== true || this.#lastResponse?.writableFinished === true;
  }

  /**
   * Counts calls from the latest one on; earlier ones have been answered, or their replies are on their way. From here
   * on, input passes through this class before node parses it. Node alone parses everything that has arrived, however
   * many requests that is, and reports valid bytes as an error if they reach a parser that it has paused. A connection
   * that waits for each reply never gets here, which is faster.
   */
  #beginToCount(latest: ServerResponse): void {
    this.#isCounted = true;
    if (!latest.writableFinished) this.#count(latest);
    const [parse] = this.#socket.listeners('data') as ((chunk: Buffer) => void)[];
    if (parse === undefined) return;
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk, parse));
    this.#socket.off('data', parse);
    // So far node has read past the stream, which therefore still waits for its first read to end. This ends it.
    this.#socket.push(NOTHING);
  }

  #read(chunk: Buffer, parse: (chunk: Buffer) => void): void {
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      // No request can follow malformed bytes.
      if (this.#lastRefusal !== undefined || this.#socket.destroyed) return;
      if (!this.#socket.isPaused() && this.#isFull()) {
        this.#isHeld = true;
        this.#socket.pause();
      }
      // Node also pauses while replies or a body are not consumed, and resumes after its own pauses.
      if (this.#socket.isPaused()) return void this.#socket.unshift(chunk.subarray(from));
      parse(chunk.subarray(from, from + SLICE_BYTES));
    }
  }
}

/** About the memory that a parsed request takes while it waits. */
function bytesOf({ rawHeaders }: ReceivedRequest): number {
  return REQUEST_BYTES + HEADER_PART_BYTES * rawHeaders.length;
}
