/**
 * A keep-alive connection that has at most one request in flight. It uses a bare socket: an HTTP client would
 * need several times as much CPU per request, which the servers would then lack.
 */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AnswerFramer } from './answer.ts';

/** Where a server listens on this machine. */
export interface Address {
  readonly port: number;
  /** The server's certificate as PEM text; null: plain HTTP. */
  readonly certificate: string | null;
}

/** What a connection reports. */
export interface ConnectionListener {
  /**
   * An answer is there; the fields of `framer` say where in `bytes`, which are overwritten after the call.
   * The next request may be sent at once.
   */
  onAnswer(connection: Connection, bytes: Buffer, framer: AnswerFramer): void;
  /** The connection broke, or what came is not an answer. */
  onBroken(connection: Connection, error: Error): void;
}

/**
 * All connections read into the same memory: what came is handled before anything else is read. It is larger than any
 * answer, since a read that fills it up makes the event loop try another.
 */
const shared = Buffer.alloc(64 * 1024);

/** One connection. */
export class Connection {
  /** Index of the request in flight in the pool; kept here for whoever handles the answer. */
  request = -1;
  /** When it was sent, on the clock of performance.now(). */
  sentAtMs = 0;
  readonly #socket: Socket;
  readonly #framer: AnswerFramer;
  readonly #listener: ConnectionListener;
  #inFlight = false;
  #closing = false;
  /** The beginning of an answer that did not come in one piece. */
  #incomplete: Buffer | null = null;

  /**
   * Connects.
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
    this.#listener = listener;
    const { port, certificate } = address;
    // `onread` hands over what was read without the machinery of a stream, and without memory allocated for it.
    const onread = { buffer: shared, callback: (length: number) => this.#receive(length) };
    const options = { host: '127.0.0.1', port, noDelay: true, onread };
    this.#socket =
      certificate === null
        ? connectPlain(options, onOpen)
        : connectTls({ ...options, ca: certificate, servername: 'localhost' }, onOpen);
  }

  /** Whether an answer is awaited. */
  get inFlight(): boolean {
    return this.#inFlight;
  }

  /** Sends a request; its bytes must stay as they are until the answer. */
  send(bytes: Buffer): void {
    this.#inFlight = true;
    this.#socket.write(bytes);
  }

  /** Closes without a word. */
  close(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  /** @returns whether to go on reading */
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
      this.#listener.onAnswer(this, bytes, this.#framer);
    } catch (error) {
      this.#break(error as Error);
    }
    return true;
  }

  #break(error: Error): void {
    if (this.#closing) return;
    this.close();
    this.#inFlight = false;
    this.#listener.onBroken(this, error);
  }
}
