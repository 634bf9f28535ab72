/**
 * Customers with licenses: their machines and apps, their true rights, and a check of their apps against these rights.
 */
import type { Program } from '../../../../clients/conformance/driver-process.ts';
import type { LicenseState } from '../../src/index.ts';
import { payloadIn } from '../support/license-files.ts';
import { DAY_MS, type Environment, type Fault, HOUR_MS, Machine, type Trust } from '../support/world.ts';
import { DrivenMachine, type Surroundings } from './driven-machine.ts';

export type Kind = 'per-machine' | 'site' | 'floating';

/** A sold license, as the operator knows it. */
export interface Sold {
  readonly key: string;
  readonly kind: Kind;
  /** The correct time of its revocation; null while it is paid. */
  revokedAt: number | null;
}

/**
 * Days for which floating licenses go on in this month without the service; the operator has chosen more than a day.
 */
export const FLOATING_DAYS = 20;
/**
 * Time after which an app that reaches the service must know about a revocation: it asks once a day, plus or minus two
 * hours.
 */
const HEARS_AFTER_MS = 27 * HOUR_MS;

/** A machine with an app in any language. Its disk outlives the app. */
export interface Computer {
  /** The error of its clock in milliseconds. */
  skewMs: number;
  fault: Fault | null;
  /** The time of the next check. */
  readonly nextTimer: number;
  /** The state at the last look, or since. */
  readonly state: LicenseState;
  /** Hours between two looks at the app; a look takes long where the app is another process. */
  readonly hoursBetweenLooks: number;
  /** Lets the app see the present time. */
  look(): Promise<void>;
  /** Starts the app. If it is running, nothing is stopped first, as after a crash. */
  start(onState: () => void): Promise<void>;
  activate(key: string): Promise<void>;
  /** Makes the checks that are due. */
  fire(): Promise<void>;
  stop(): Promise<void>;
  /** The text of the stored state. */
  stored(): Promise<string | null>;
  discard(): Promise<void>;
}

/** A machine with an app in JavaScript, inside of this process. */
class JavaScriptMachine implements Computer {
  readonly hoursBetweenLooks = 1;
  readonly #machine: Machine;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  get disk(): Machine {
    return this.#machine;
  }
  get skewMs(): number {
    return this.#machine.skewMs;
  }
  set skewMs(skewMs: number) {
    this.#machine.skewMs = skewMs;
  }
  get fault(): Fault | null {
    return this.#machine.fault;
  }
  set fault(fault: Fault | null) {
    this.#machine.fault = fault;
  }
  get nextTimer(): number {
    return this.#machine.nextTimer;
  }
  get state(): LicenseState {
    return this.#machine.app.state;
  }
  async look(): Promise<void> {}
  async start(onState: () => void): Promise<void> {
    (await this.#machine.start()).on('state', onState);
  }
  async activate(key: string): Promise<void> {
    await this.#machine.app.activate(key);
  }
  fire(): Promise<void> {
    return this.#machine.fire();
  }
  stop(): Promise<void> {
    return this.#machine.stop();
  }
  async stored(): Promise<string | null> {
    return this.#machine.storage.read();
  }
  async discard(): Promise<void> {}
}

/** The order of a customer. */
export interface Order {
  readonly name: string;
  readonly license: Sold;
  /** The number of the customer. */
  readonly place: number;
  /** Null for an app without compiled-in keys. */
  readonly trust: Trust | null;
  /** A customer with the same machine. */
  readonly beside: Customer | undefined;
  /** The driver of the language of the app; null for JavaScript. */
  readonly program: Program | null;
}

/** An app on a machine. */
export class Customer {
  readonly name: string;
  readonly license: Sold;
  readonly machine: Computer;
  readonly hasKeys: boolean;
  /** The number of its machine, which decides the error of its clock. */
  readonly place: number;
  /** The minute of the hour at which a floating app opens, or any other app restarts. */
  readonly minute: number;
  isOpen = false;
  /** Whether the app is no longer checked. */
  isGone = false;
  isConnected = true;
  /** The time until which the app may go on after the revocation. */
  #mayGoOnUntil = Number.POSITIVE_INFINITY;
  readonly #now: () => number;

  private constructor(now: () => number, machine: Computer, order: Order) {
    this.#now = now;
    this.machine = machine;
    this.name = order.name;
    this.license = order.license;
    this.hasKeys = order.trust !== null;
    this.minute = (order.place * 37) % 60;
    this.place = order.beside?.place ?? order.place;
  }

  static async make(around: Environment & Surroundings, order: Order): Promise<Customer> {
    const { trust, place, beside, name, program } = order;
    const options = {
      fingerprint: `fingerprint of ${beside?.name ?? name}`,
      hostname: name,
      ...(trust ?? {}),
      // Two apps on one machine share its seat, so neither gives it back on closing.
      ...(beside === undefined ? {} : { release: 'never' as const }),
      requestTimeoutMs: 20_000,
    };
    let seed = place + 1;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const hours = FLOATING_DAYS * 24;
    if (program !== null) {
      const grace = trust === null ? { graceFloatingHours: hours } : {};
      const disk = beside?.machine instanceof DrivenMachine ? beside.machine : undefined;
      const given = { ...options, ...grace, random: random() };
      return new Customer(() => around.now(), await DrivenMachine.make(around, program, given, disk), order);
    }
    const disk = beside?.machine instanceof JavaScriptMachine ? beside.machine.disk : undefined;
    const machine = new Machine(around, beside?.name ?? name, {
      ...options,
      ...(trust === null ? { grace: { floatingHours: hours } } : {}),
      ...(disk === undefined ? {} : { storage: disk.storage }),
      random,
    });
    return new Customer(() => around.now(), new JavaScriptMachine(machine), order);
  }

  /** Opens the app. If it is running, starts it again, as after a crash. */
  async open(onState: (customer: Customer) => void): Promise<void> {
    await this.machine.start(() => this.isOpen && onState(this));
    this.isOpen = true;
    onState(this);
  }

  /** Closes the app properly. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.machine.stop();
  }

  /** The operator has revoked the license, possibly again after a backup had restored it. */
  async wasRevoked(): Promise<void> {
    const now = this.#now();
    const ends = [now + DAY_MS, await this.#storedUntil()];
    this.#mayGoOnUntil = this.isConnected ? now + HEARS_AFTER_MS : Math.max(...ends);
  }

  /** An old backup has made the license valid again. */
  isGoodAgain(): void {
    this.#mayGoOnUntil = Number.POSITIVE_INFINITY;
  }

  /** The time until which the stored state lets the app run. */
  async #storedUntil(): Promise<number> {
    const { file, lastGoodAt } = JSON.parse((await this.machine.stored()) ?? '{}');
    if (this.hasKeys) return file ? (payloadIn(file).exp as number) * 1000 : 0;
    return lastGoodAt + (this.license.kind === 'floating' ? FLOATING_DAYS : 30) * DAY_MS;
  }

  /** The app's present error; null if it behaves correctly. */
  get wrong(): string | null {
    if (!this.isOpen) return null;
    const { state } = this.machine;
    if (this.license.revokedAt === null)
      return state.mayRun ? null : `has paid and is stopped: ${JSON.stringify(state)}`;
    // Stored times may be off by a fraction of a second, because times in files are whole seconds.
    const isOver = this.#now() > this.#mayGoOnUntil + 60_000;
    return state.mayRun && isOver ? `was revoked and goes on: ${JSON.stringify(state)}` : null;
  }
}
