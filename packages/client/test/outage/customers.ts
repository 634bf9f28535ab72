/**
 * Customers with licenses: their machines and apps, their true rights, and a check of their apps against these rights.
 */
import { payloadIn } from '../support/license-files.ts';
import { DAY_MS, type Environment, HOUR_MS, Machine, type Trust } from '../support/world.ts';

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

/** An app on a machine. */
export class Customer {
  readonly name: string;
  readonly license: Sold;
  readonly machine: Machine;
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

  constructor(
    environment: Environment,
    trust: Trust | null,
    name: string,
    license: Sold,
    place: number,
    beside?: Customer,
  ) {
    this.name = name;
    this.license = license;
    this.hasKeys = trust !== null;
    this.minute = (place * 37) % 60;
    this.place = beside?.place ?? place;
    const disk = beside?.machine;
    this.#now = () => environment.now();
    let seed = place + 1;
    this.machine = new Machine(environment, disk?.name ?? name, {
      ...(trust ?? { grace: { floatingHours: FLOATING_DAYS * 24 } }),
      ...(disk === undefined ? {} : { storage: disk.storage }),
      // Two apps on one machine share its seat, so neither gives it back on closing.
      ...(disk === undefined ? {} : { release: 'never' as const }),
      requestTimeoutMs: 20_000,
      random: () => {
        seed = (seed * 16_807) % 2_147_483_647;
        return seed / 2_147_483_647;
      },
    });
  }

  /** Opens the app. If it is running, starts it again, as after a crash. */
  async open(onState: (customer: Customer) => void): Promise<void> {
    const app = await this.machine.start();
    this.isOpen = true;
    app.on('state', () => onState(this));
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
    const { file, lastGoodAt } = JSON.parse((await this.machine.storage.read()) ?? '{}');
    if (this.hasKeys) return file ? (payloadIn(file).exp as number) * 1000 : 0;
    return lastGoodAt + (this.license.kind === 'floating' ? FLOATING_DAYS : 30) * DAY_MS;
  }

  /** The app's present error; null if it behaves correctly. */
  get wrong(): string | null {
    if (!this.isOpen) return null;
    const { state } = this.machine.app;
    if (this.license.revokedAt === null)
      return state.mayRun ? null : `has paid and is stopped: ${JSON.stringify(state)}`;
    // Stored times may be off by a fraction of a second, because times in files are whole seconds.
    const isOver = this.#now() > this.#mayGoOnUntil + 60_000;
    return state.mayRun && isOver ? `was revoked and goes on: ${JSON.stringify(state)}` : null;
  }
}
