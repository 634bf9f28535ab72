/**
 * The calls of one connection. A client that sends many requests without waiting for the answers has only so many of
 * them under way at once; then nothing more is read from its connection. Where an answer may be long, as those with lists
 * and documents are, no further call begins before it has been taken: they would pile up behind a client that does not read.
 * Answers leave in the order of the requests, and what is said about bytes that are no request comes after all of them.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { elapsedMs } from '../clock.ts';
import type { RefusalCode } from '../refusals.ts';
import type { ReceivedRequest } from './body.ts';
import type { ConnectionUse } from './connections.ts';

/** A request listener. */
export type Listener = (request: ReceivedRequest, response: ServerResponse) => void;

/** What a listener is given through the calls of its connection. */
export interface CallsOptions {
  readonly listener: Listener;
  /** Calls of one connection under way at once; null: as many as it sends. */
  readonly limit: number | null;
  /** Whether the service stops: then each connection ends after the answer to its last request. */
  readonly isClosing: () => boolean;
  /** Sends the last refusal of a connection, null for none, and closes it; with the request that broke off, if one did. */
  readonly dismiss: (socket: Socket, refused: RefusalCode | null, request: ReceivedRequest | null) => void;
}

/** A listener that minds how many calls each connection has under way. */
export interface ConnectionCalls {
  readonly listener: Listener;
  /**
   * Ends a connection with a refusal, or null for nothing, once the requests read from it have been answered. What it is
   * called with first counts.
   */
  dismissAfterAnswers(socket: Socket, refused: RefusalCode | null): void;
  /** Whether reading waits for answers, so that a request which is not complete has not been late. */
  isHeld(socket: Socket): boolean;
  /** What a connection is doing; null before its first request. */
  useOf(socket: Socket): ConnectionUse | null;
}

interface Call {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
}

/** Bytes that are parsed before the limit is checked again: about 160 of the shortest possible requests. */
const SLICE_BYTES = 4096;
/** Answers of a connection that may wait in memory behind one that is being sent: with so many bytes no call begins. */
const MOST_UNSENT_BYTES = 256 * 1024;
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
  /** Whether calls are counted, and what arrives is read in slices: from the first request on that comes before its turn. */
  #isCounted = false;
  /** Given to the listener and not answered yet; answered is what the system has taken over to send. */
  #underWay = 0;
  /** Parsed while the limit was reached: they came in one piece with those that are in progress. */
  readonly #waiting: Call[] = [];
  #latestRequest: ReceivedRequest | null = null;
  #latestResponse: ServerResponse | null = null;
  /** The call that was started last. */
  #lastRequest: ReceivedRequest | null = null;
  #lastResponse: ServerResponse | null = null;
  /** When the latest request came, by elapsedMs. */
  lastRequestAt = 0;
  /** Whether this, and not node, has paused the socket. */
  #isHeld = false;
  /** What ends the connection once all is answered; undefined as long as nothing does. */
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
      // The connection ends with the answer before this one: nobody would hear what came of the call.
      if (previous.headersSent && !previous.shouldKeepAlive) return;
      if (this.#options.isClosing()) previous.shouldKeepAlive = true;
      // An answer that is handed over need not have left yet when the next request of a client that waits for it is here.
      if (!this.#isCounted && (!previous.writableEnded || this.#socket.isPaused())) this.#beginToCount(previous);
    }
    this.lastRequestAt = elapsedMs();
    this.#latestRequest = request;
    this.#latestResponse = response;
    if (this.#isCounted && !this.#hasRoom()) this.#waiting.push({ request, response });
    else this.#start(request, response);
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
    // A connection that is kept alive must not keep a closing service alive.
    if (response === this.#latestResponse && this.#options.isClosing()) response.shouldKeepAlive = false;
    this.#options.listener(request, response);
  }

  #count(response: ServerResponse): void {
    this.#underWay += 1;
    response.on('finish', this.#finished);
  }

  #endAfterAnswers(refused: RefusalCode | null): void {
    // A request that broke off has no answer but this refusal, unless it was refused before its body came.
    const latest = this.#latestRequest;
    const isBroken = latest?.complete === false && this.#latestResponse?.writableEnded === false;
    if (this.#underWay + this.#waiting.length > (isBroken ? 1 : 0)) return;
    // Where the last answer has closed the connection already, nothing is said after it.
    if (this.#socket.writable) this.#options.dismiss(this.#socket, refused, isBroken ? latest : null);
  }

  /** A request whose body is still to come is no reason to stop reading: it could never be answered. */
  #isFull(): boolean {
    return !this.#hasRoom() && (this.#waiting.length > 0 || this.#latestRequest?.complete === true);
  }

  /** Whether a further call may begin. */
  #hasRoom(): boolean {
    if (this.#underWay >= this.#limit || this.#socket.writableLength > MOST_UNSENT_BYTES) return false;
    return this.#lastRequest?.mayBeLong !== true || this.#lastResponse?.writableFinished === true;
  }

  /**
   * Counts calls from the latest one on; those before it have been answered, or their answers are on their way. And
   * what arrives goes through here before node parses it. By itself node parses all that has arrived, however many
   * requests that are, and calls valid bytes an error that reach a parser which it has paused. A connection that waits
   * for each answer never comes here, which is faster.
   */
  #beginToCount(latest: ServerResponse): void {
    this.#isCounted = true;
    if (!latest.writableFinished) this.#count(latest);
    const [parse] = this.#socket.listeners('data') as ((chunk: Buffer) => void)[];
    if (parse === undefined) return;
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk, parse));
    this.#socket.off('data', parse);
    // So far node read past the stream, which therefore still waits for its first read to end; this ends it.
    this.#socket.push(NOTHING);
  }

  #read(chunk: Buffer, parse: (chunk: Buffer) => void): void {
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      // After what is no request nothing can be read that is one.
      if (this.#lastRefusal !== undefined || this.#socket.destroyed) return;
      if (!this.#socket.isPaused() && this.#isFull()) {
        this.#isHeld = true;
        this.#socket.pause();
      }
      // Node pauses, too, while answers or a body are not taken, and resumes what it has paused.
      if (this.#socket.isPaused()) return void this.#socket.unshift(chunk.subarray(from));
      parse(chunk.subarray(from, from + SLICE_BYTES));
    }
  }
}
