/** A machine with an app in another language: a driver of clients/conformance, with real calls and a real folder. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DriverAnswer, DriverProcess, type Program } from '../../../../clients/conformance/driver-process.ts';
import type { LicenseState } from '../../src/index.ts';
import { Front } from '../support/front.ts';
import type { Fault } from '../support/world.ts';

/** The network and the time around a driven machine. */
export interface Surroundings {
  /** The proxy in front of the service; it decides about the calls of every machine. */
  readonly front: Front;
  /** The correct time. */
  now(): number;
  /** Called for each call. */
  counted(): void;
}

/** The options of an app, as clients/conformance/PROTOCOL.md names them. */
export type DriverOptions = Readonly<Record<string, unknown>>;

export class DrivenMachine {
  /** The error of the machine's clock in milliseconds. */
  skewMs = 0;
  /** Any fault takes the machine off the network. */
  fault: Fault | null = null;
  readonly hoursBetweenLooks = 6;
  readonly #surroundings: Surroundings;
  readonly #options: DriverOptions;
  readonly #process: DriverProcess;
  /** The way of its calls to the proxy that all machines share. */
  readonly #front: Front;
  readonly #folder: string;
  readonly #ownsFolder: boolean;
  #state: LicenseState | null = null;
  #listener: () => void = () => {};
  #nextCheckAt = Number.POSITIVE_INFINITY;

  private constructor(
    surroundings: Surroundings,
    process: DriverProcess,
    front: Front,
    options: DriverOptions,
    folder: string,
    ownsFolder: boolean,
  ) {
    this.#surroundings = surroundings;
    this.#process = process;
    this.#front = front;
    this.#options = { productId: 'app', ...options, server: [front.url], directory: folder };
    this.#folder = folder;
    this.#ownsFolder = ownsFolder;
    front.decide = async (path) => {
      surroundings.counted();
      if (this.fault !== null) return 'drop';
      const fate = await surroundings.front.decide(path);
      front.port = surroundings.front.port;
      return fate;
    };
    front.onLost = () => surroundings.front.onLost();
    front.date = () => surroundings.front.date();
  }

  /** @param beside a machine that is the same computer: both apps share its folder */
  static async make(
    surroundings: Surroundings,
    program: Program,
    options: DriverOptions,
    beside?: DrivenMachine,
  ): Promise<DrivenMachine> {
    const folder = beside === undefined ? await mkdtemp(join(tmpdir(), 'latchkey-driven-')) : beside.#folder;
    const front = await Front.start(surroundings.front.port, 'plain');
    const process = await DriverProcess.start(program);
    return new DrivenMachine(surroundings, process, front, options, folder, beside === undefined);
  }

  get state(): LicenseState {
    if (this.#state === null) throw new Error('the app was not started');
    return this.#state;
  }

  /** The time of the next check. */
  get nextTimer(): number {
    return this.#nextCheckAt;
  }

  /** Starts the app, without closing the one before, and tells the listener of every change of the state. */
  async start(onState: () => void): Promise<void> {
    this.#listener = () => {};
    await this.#forgetCrashed();
    await this.#send({ do: 'create', options: this.#options, ...this.#times() });
    this.#listener = onState;
    await this.#send({ do: 'start' });
  }

  /**
   * Removes the files by which clients of this process count as running. A crashed app is gone with its process, but
   * the driver lives on.
   */
  async #forgetCrashed(): Promise<void> {
    const folder = join(this.#folder, 'processes');
    const names = await readdir(folder).catch(() => [] as string[]);
    const own = names.filter((name) => name.startsWith(`${this.#process.processId}.`));
    await Promise.all(own.map((name) => rm(join(folder, name), { force: true })));
  }

  async activate(key: string): Promise<void> {
    await this.#send({ do: 'activate', key });
  }

  look(): Promise<void> {
    return this.fire();
  }

  /** Makes the checks that are due. */
  async fire(): Promise<void> {
    await this.#send({ do: 'clock', ...this.#times() });
  }

  /** Closes the app properly. */
  async stop(): Promise<void> {
    await this.#send({ do: 'clock', ...this.#times() });
    await this.#send({ do: 'close' });
  }

  async stored(): Promise<string | null> {
    return readFile(join(this.#folder, 'state'), 'utf8').catch(() => null);
  }

  async discard(): Promise<void> {
    await this.#process.kill();
    await this.#front.stop();
    if (this.#ownsFolder) await rm(this.#folder, { recursive: true, force: true });
  }

  #times(): { readonly now: number; readonly monotonic: number } {
    const now = this.#surroundings.now();
    return { now: now + this.skewMs, monotonic: now };
  }

  async #send(command: object): Promise<void> {
    const sentAt = this.#surroundings.now();
    const answer: DriverAnswer = await this.#process.send(command);
    if (answer.error !== undefined) throw new Error(`${JSON.stringify(command)}: ${JSON.stringify(answer.error)}`);
    this.#state = answer.state as LicenseState | null;
    this.#nextCheckAt = answer.next === null ? Number.POSITIVE_INFINITY : sentAt + answer.next;
    if (answer.notices.length > 0) this.#listener();
  }
}
