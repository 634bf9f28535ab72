/** A receiver in a process of its own, which does not slow down the process of the test. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from './process-environment.ts';
import { certificateOf } from './receiver.ts';
import type {
  ArrivedEvent,
  Behaviour,
  FromReceiver,
  PathReport,
  ReceiverCount,
  ToReceiver,
} from './receiver-messages.ts';

const LOOK_MS = 50;

/** See the head of this file. Its calls are answered in order. */
export class SeparateReceiver {
  readonly addresses: readonly string[];
  readonly #process: ChildProcess;
  readonly #directory: string;
  readonly #waiting: ((message: FromReceiver) => void)[] = [];
  #port = 0;

  private constructor(addresses: readonly string[], directory: string) {
    this.addresses = addresses;
    this.#directory = directory;
    const program = fileURLToPath(new URL('./receiver-process.ts', import.meta.url));
    this.#process = fork(program, { execArgv: [], env: processEnvironment, serialization: 'advanced' });
    this.#process.on('message', (message: FromReceiver) => this.#waiting.shift()?.(message));
  }

  /** Starts it on these addresses, below 127.1.0.0/16, with a certificate of its own authority. */
  static async start(addresses: readonly string[]): Promise<SeparateReceiver> {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-receiver-'));
    const { cert, key } = await certificateOf([], addresses);
    const receiver = new SeparateReceiver(addresses, directory);
    await writeFile(receiver.caFile, cert);
    const listening = (await receiver.#ask({ kind: 'start', addresses, cert, key })) as { port: number };
    receiver.#port = listening.port;
    return receiver;
  }

  /** The file for LATCHKEY_DELIVERY_CA_FILE. */
  get caFile(): string {
    return join(this.#directory, 'ca.pem');
  }

  url(path: string, address = this.addresses[0]): string {
    return `https://${address}:${this.#port}${path}`;
  }

  /** Has the signatures at a path checked. */
  async check(path: string, secret: string): Promise<void> {
    await this.#ask({ kind: 'secret', path, secret });
  }

  /** Changes the answers to the requests to a path, or to every other path (`*`). */
  async behave(path: string, behaviour: Behaviour): Promise<void> {
    await this.#ask({ kind: 'behave', path, behaviour });
  }

  async forget(path: string): Promise<void> {
    await this.#ask({ kind: 'forget', path });
  }

  async report(path: string): Promise<PathReport> {
    return ((await this.#ask({ kind: 'report', path })) as { report: PathReport }).report;
  }

  async count(path: string): Promise<ReceiverCount> {
    return ((await this.#ask({ kind: 'count', path })) as { count: ReceiverCount }).count;
  }

  /** Returns those of the given events that arrived at a path. */
  async among(path: string, ids: readonly string[]): Promise<readonly string[]> {
    return ((await this.#ask({ kind: 'among', path, ids })) as { ids: readonly string[] }).ids;
  }

  /** The events that arrived at a path, in the order of their first arrivals. */
  async arrived(path: string): Promise<readonly ArrivedEvent[]> {
    return ((await this.#ask({ kind: 'arrived', path })) as { events: readonly ArrivedEvent[] }).events;
  }

  /**
   * Waits until this many events have arrived at a path.
   *
   * @throws if none arrives for `silenceMs`
   */
  async hasEvents(path: string, count: number, silenceMs = 60_000): Promise<PathReport> {
    let movedAt = performance.now();
    let seen = -1;
    for (;;) {
      const { events } = await this.count(path);
      if (events >= count) return this.report(path);
      if (events !== seen) movedAt = performance.now();
      seen = events;
      if (performance.now() - movedAt > silenceMs) throw new Error(`${seen} of ${count} events arrived at ${path}`);
      await wait(LOOK_MS);
    }
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
    await rm(this.#directory, { recursive: true, force: true });
  }

  #ask(message: ToReceiver): Promise<FromReceiver> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      this.#process.send(message, (error) => {
        if (error !== null) reject(error);
      });
    });
  }
}
