/**
 * A keep-alive connection with at most one request in flight. It uses a bare socket, because an HTTP client would need
 * several times as much CPU per request, which the servers would then lack.
 */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AnswerFramer } from './answer.ts';

/** Address of a server on this machine. */
export interface Address {
  readonly port: number;
  /** The server's certificate as PEM text; null for plain HTTP. */
  readonly certificate: string | null;
}

/** Callbacks of a connection. */
export interface ConnectionListener {
  /**
   * A response has arrived. The fields of `framer` locate it in `bytes`, which are overwritten after the call. The next
   * request may be sent at once.
   */
  onAnswer(connection: Connection, bytes: Buffer, framer: AnswerFramer): void;
  /** The connection broke, or the server sent something other than a response. */
  onBroken(connection: Connection, error: Error): void;
}

/**
 * All connections share this read buffer, because data is handled before anything else is read. It is larger than any
 * response, since a read that fills it makes the event loop try another read.
 */
const shared = Buffer.alloc(64 * 1024);

/** A connection to one server. */
export class Connection {
  /** Index in the pool of the request in flight; kept here for the response handler. */
  request = -1;
  /** Time of sending, on the clock of performance.now(). */
  sentAtMs = 0;
  /** Successive windows use one connection, each with a listener of its own. */
  listener: ConnectionListener;
  readonly #socket: Socket;
  readonly #framer: AnswerFramer;
  #inFlight = false;
  #closing = false;
  /** The beginning of a response that arrived in pieces. */
  #incomplete: Buffer | null = null;

  /**
   * Opens a connection.
   *
   * @param framer may be shared by the connections to one server
   * @returns the connection once requests can be sent
   */
  static async open(address: Address, framer: AnswerFramer, listener: ConnectionListener): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const connection = new Connection(address, framer, listener, resolve);
    connection.#socket.once('error', reject);
    await promise;
    connection.#socket.off('error', reject);
    connection.#socket.on('error', (error) => connection.#break(error));
    connection.#socket.on('close', () => connection.#break(new Error('the server closed the connection')));
    return connection;
  }

  private constructor(address: Address, framer: AnswerFramer, listener: ConnectionListener, onOpen: () => void) {
    this.#framer = framer;
    this.listener = listener;
    const { port, certificate } = address;
    // `onread` delivers data without the overhead of a stream and without allocating memory for it.
    const onread = { buffer: shared, callback: (length: number) => this.#receive(length) };
    const options = { host: '127.0.0.1', port, noDelay: true, onread };
    this.#socket =
      certificate === null
        ? connectPlain(options, onOpen)
        : connectTls({ ...options, ca: certificate, servername: 'localhost' }, onOpen);
  }

  /** Whether a response is pending. */
  get inFlight(): boolean {
    return this.#inFlight;
  }

  /** Whether neither side has closed the connection. */
  get isOpen(): boolean {
    return !this.#closing;
  }

  /** Sends a request. The caller must not change its bytes until the response arrives. */
  send(bytes: Buffer): void {
    this.#inFlight = true;
    this.#socket.write(bytes);
  }

  /** Destroys the connection without a report to the listener. */
  close(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  /** @returns whether to continue reading */
  #receive(length: number): boolean {
    try {
      if (!this.#inFlight) throw new Error('the server sent something nobody asked for');
      const bytes = this.#incomplete === null ? shared : Buffer.concat([this.#incomplete, shared.subarray(0, length)]);
      const bytesLength = this.#incomplete === null ? length : bytes.length;
      if (!this.#framer.frame(bytes, bytesLength)) {
        this.#incomplete = Buffer.from(bytes.subarray(0, bytesLength));
        return true;
      }
      if (this.#framer.end < bytesLength) throw new Error('the server sent more than one answer to one request');
      this.#incomplete = null;
      this.#inFlight = false;
      this.listener.onAnswer(this, bytes, this.#framer);
    } catch (error) {
      this.#break(error as Error);
    }
    return true;
  }

  #break(error: Error): void {
    if (this.#closing) return;
    this.close();
    this.#inFlight = false;
    this.listener.onBroken(this, error);
  }
}
