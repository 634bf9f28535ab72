/**
 * Apps under test and the real server they call, on one clock that the test moves, with a network that the test breaks.
 */
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startApp, type TestApp } from '../../../server/test/support/app.ts';
import { type Ended, environmentOf, runCommand } from '../../../server/test/support/command.ts';
import type { Engine } from '../../../server/test/support/databases.ts';
import { startedApp } from '../../../server/test/support/started-app.ts';
import {
  type Clock,
  createLatchkey,
  type Events,
  type Latchkey,
  memoryStorage,
  type Options,
  type PublicKey,
  type StateStorage,
  type TransportReply,
  type TransportRequest,
} from '../../src/index.ts';
import type { PlatformOptions } from '../../src/options.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The compiled-in settings with which an app trusts license files. */
export interface Trust {
  readonly issuer: string;
  readonly publicKeys: readonly PublicKey[];
}

/** Parses the output of the command `list-signing-keys --for-app`. */
export function trustIn(printed: string): Trust {
  const trust: Trust = JSON.parse(printed);
  assert.ok(trust.issuer !== '' && trust.publicKeys.length > 0, printed);
  return trust;
}

/** A fault between an app and the server: answers in its place, or fails by throwing; null lets a request pass. */
export type Fault = (request: TransportRequest) => TransportReply | null | Promise<TransportReply | null>;

/** No connection. */
export const DOWN: Fault = () => {
  throw new Error('connect ECONNREFUSED');
};

/** The environment of a machine: the correct time, and the connection to a server. */
export interface Environment {
  now(): number;
  send(path: string, body: string | null): Promise<TransportReply>;
}

/** A machine with an app on it. Its storage outlives the app, as a disk does. */
export class Machine implements Clock {
  readonly countsSleep = true;
  readonly storage: StateStorage;
  /** The error of the machine's clock in milliseconds. */
  skewMs = 0;
  fault: Fault | null = null;
  /** The requested paths. */
  readonly asked: string[] = [];
  readonly reported: [keyof Events, unknown][] = [];
  readonly #world: Environment;
  readonly name: string;
  readonly #options: Partial<Options>;
  #timers: { at: number; action: () => void }[] = [];
  #timersSet = 0;
  #app: Latchkey | null = null;

  constructor(world: Environment, name: string, options: Partial<Options> = {}) {
    this.#world = world;
    this.name = name;
    this.#options = options;
    this.storage = options.storage ?? memoryStorage();
  }

  now(): number {
    return this.#world.now() + this.skewMs;
  }

  monotonic(): number {
    return this.#world.now();
  }

  after(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.#world.now() + milliseconds, action };
    this.#timers.push(timer);
    this.#timersSet += 1;
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** The time of the next timer. */
  get nextTimer(): number {
    return Math.min(...this.#timers.map(({ at }) => at));
  }

  /**
   * Fires the timers that are due, and waits for the work they start. A timer that only checked the time sets the next
   * one at once and starts no work.
   */
  async fire(): Promise<void> {
    const due = this.#timers.filter(({ at }) => at <= this.#world.now());
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    const setBefore = this.#timersSet;
    for (const { action } of due) action();
    if (this.#timersSet - setBefore < due.length) await this.settled();
  }

  /** Waits until no work is under way. The client runs one task at a time, so a new request finishes after it. */
  async settled(): Promise<void> {
    // Rejects while the fingerprint cannot be found, and waits nevertheless.
    await this.#app?.exportRequest('settled').catch(() => {});
    for (let n = 0; n < 5; n++) await turn();
  }

  /** The names of the reported events. */
  get events(): readonly string[] {
    return this.reported.map(([event]) => event);
  }

  get app(): Latchkey {
    if (this.#app === null) throw new Error('the app was not started');
    return this.#app;
  }

  /** Starts the app. If it is running, nothing is stopped first, as after a crash. */
  async start(): Promise<Latchkey> {
    this.#timers = [];
    const options: PlatformOptions = {
      server: 'https://server.example',
      productId: 'app',
      fingerprint: `fingerprint of ${this.name}`,
      hostname: this.name,
      random: () => 0.5,
      ...this.#options,
      storage: this.storage,
      clock: this,
      transport: (request) => this.#send(request),
    };
    this.#app = createLatchkey(options as Options);
    const events = [
      'seat-lost',
      'seat-regained',
      'grace-started',
      'grace-ending',
      'use-refused',
      'renewed',
      'storage-problem',
    ] as const;
    for (const event of events) this.#app.on(event, (detail) => this.reported.push([event, detail]));
    await this.#app.start();
    await this.settled();
    return this.#app;
  }

  /** Closes the app properly. */
  async stop(): Promise<void> {
    await this.#app?.close();
    this.#timers = [];
  }

  async #send(request: TransportRequest): Promise<TransportReply> {
    const { pathname } = new URL(request.url);
    this.asked.push(pathname);
    const answered = await this.fault?.(request);
    return answered ?? this.#world.send(pathname, request.body);
  }
}

/** The server, its clock, and the machines that call it. */
export class World {
  readonly server: TestApp;
  #machines: Machine[] = [];
  #fresh = 0;
  #serverSkewMs = 0;

  constructor(server: TestApp) {
    this.server = server;
  }

  static async start(environment: Readonly<Record<string, string>> = {}, engine: Engine = 'sqlite'): Promise<World> {
    return new World(await startApp(engine, environment));
  }

  /** The correct time. */
  now(): number {
    return this.server.clock.now() - this.#serverSkewMs;
  }

  /** Sets the error of the server's clock in milliseconds; 0 corrects it. */
  skewServer(milliseconds: number): void {
    this.server.clock.move(milliseconds - this.#serverSkewMs);
    this.#serverSkewMs = milliseconds;
  }

  /** The settings with which an app trusts the service's license files, from the operator's command. */
  async trust(): Promise<Trust> {
    return trustIn((await this.command('list-signing-keys', '--for-app')).out);
  }

  /** Runs a command of the operator on the database, beside the service. */
  command(...args: readonly string[]): Promise<Ended> {
    return runCommand(args, environmentOf(this.server.database));
  }

  machine(name: string, options?: Partial<Options>): Machine {
    const machine = new Machine(this, name, options);
    this.#machines.push(machine);
    return machine;
  }

  /** A machine with a name of its own. */
  fresh(options?: Partial<Options>): Machine {
    this.#fresh += 1;
    return this.machine(`machine ${this.#fresh}`, options);
  }

  /** A fresh machine with the activated key of a new license. */
  async activated(order: object = {}, options?: Partial<Options>): Promise<{ machine: Machine; key: string }> {
    const key = await this.server.license({ ...order });
    const machine = this.fresh(options);
    await (await machine.start()).activate(key);
    return { machine, key };
  }

  /**
   * Sends a request as an app does. Corrects the `Date` header, which the server takes from the clock of the test
   * machine.
   */
  async send(path: string, body: string | null): Promise<TransportReply> {
    const {
      status,
      headers,
      body: parsed,
    } = await this.server.send(path, body ?? undefined, {
      method: body === null ? 'GET' : 'POST',
    });
    const texts = Object.entries(headers).map(([name, value]) => [name, value?.toString()]);
    return {
      status,
      headers: { ...Object.fromEntries(texts), date: new Date(this.server.clock.now()).toUTCString() },
      text: JSON.stringify(parsed),
    };
  }

  /** Moves the clock; each timer on the way fires at its time. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now() + milliseconds;
    for (;;) {
      const next = Math.min(...this.#machines.map((machine) => machine.nextTimer));
      this.server.clock.move(Math.max(0, Math.min(next, end) - this.now()));
      if (next > end) return;
      for (const machine of this.#machines) await machine.fire();
    }
  }

  /** Forgets all machines, so that their timers no longer fire. */
  forgetMachines(): void {
    this.#machines = [];
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}

/** The world of a group of tests: it runs from before them until after them, and forgets the machines of each test. */
export function startedWorld(environment: Readonly<Record<string, string>> = {}): World {
  const world = new World(startedApp('sqlite', environment));
  afterEach(() => world.forgetMachines());
  return world;
}
