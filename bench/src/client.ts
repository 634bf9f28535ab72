/** A connection for a single caller that sends one request at a time. */
import { AnswerFramer } from './answer.ts';
import { type Address, Connection, type ConnectionListener } from './connection.ts';
import { wireText } from './wire.ts';

/** A response of the server. */
export interface Answer {
  readonly status: number;
  /** The parsed JSON text. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** One keep-alive connection. */
export class Client implements ConnectionListener {
  #connection: Connection | undefined;
  #awaited: PromiseWithResolvers<Answer> | undefined;
  #broken: Error | undefined;

  /** Opens a connection to a server. */
  static async connect(address: Address): Promise<Client> {
    const client = new Client();
    client.#connection = await Connection.open(address, new AnswerFramer(), client);
    return client;
  }

  /**
   * Sends a request; the previous one must have been answered.
   *
   * @param path with its leading slash
   * @throws if the connection breaks
   */
  ask(path: string, body: Readonly<Record<string, unknown>>): Promise<Answer> {
    if (this.#broken !== undefined || this.#connection === undefined) return Promise.reject(this.#broken);
    this.#awaited = Promise.withResolvers();
    this.#connection.send(Buffer.from(wireText(path, JSON.stringify(body))));
    return this.#awaited.promise;
  }

  /** Destroys the connection. */
  close(): void {
    this.#connection?.close();
  }

  onAnswer(_connection: Connection, bytes: Buffer, { status, bodyStart, end }: AnswerFramer): void {
    this.#awaited?.resolve({ status, body: JSON.parse(bytes.toString('utf8', bodyStart, end)) });
  }

  onBroken(_connection: Connection, error: Error): void {
    this.#broken = error;
    this.#awaited?.reject(error);
  }
}
