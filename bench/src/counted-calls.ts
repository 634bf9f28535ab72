/** Sends a given number of calls, and checks every answer. */
import { AnswerFramer } from './answer.ts';
import { errorOf } from './check.ts';
import { type Address, Connection } from './connection.ts';
import type { PoolCursor } from './pool.ts';

/** Connections that share a number of calls. */
export class CountedCalls {
  readonly #cursor: PoolCursor;
  #connections: readonly Connection[] = [];
  #left = 0;
  #underWay = 0;
  #done = Promise.withResolvers<void>();

  /** @throws if a connection cannot be opened */
  static async open(address: Address, cursor: PoolCursor, connections: number): Promise<CountedCalls> {
    const calls = new CountedCalls(cursor);
    const framer = new AnswerFramer();
    const listener = {
      onAnswer: (connection: Connection, bytes: Buffer) => calls.#next(connection, framer, bytes),
      onBroken: (_connection: Connection, error: Error) => calls.#done.reject(error),
    };
    calls.#connections = await Promise.all(
      Array.from({ length: connections }, () => Connection.open(address, framer, listener)),
    );
    return calls;
  }

  private constructor(cursor: PoolCursor) {
    this.#cursor = cursor;
  }

  /** Sends this number of calls, at most one at a time on each connection. @throws for a wrong answer */
  async send(calls: number): Promise<void> {
    this.#done = Promise.withResolvers();
    this.#left = calls;
    this.#underWay = this.#connections.length;
    for (const connection of this.#connections) this.#sendNext(connection);
    await this.#done.promise;
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #next(connection: Connection, { status, bodyStart, end }: AnswerFramer, bytes: Buffer): void {
    const error = errorOf(
      this.#cursor.pool.expectedFields(connection.request),
      status,
      bytes.toString('utf8', bodyStart, end),
    );
    if (error !== null) this.#done.reject(new Error(error));
    else this.#sendNext(connection);
  }

  #sendNext(connection: Connection): void {
    this.#left -= 1;
    if (this.#left < 0) {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#done.resolve();
      return;
    }
    connection.request = this.#cursor.next();
    if (connection.request < 0) {
      this.#done.reject(
        new Error('all requests were sent as often as they may be: take more licenses or fewer rounds'),
      );
      return;
    }
    connection.send(this.#cursor.pool.bytes(connection.request, this.#cursor.taken));
  }
}
