/** Those who bought a license: their machines, their apps, what is true of them, and whether their apps are right about it. */
import { payloadIn } from '../support/license-files.ts';
import { DAY_MS, HOUR_MS, Machine, type Surroundings, type Trust } from '../support/world.ts';

export type Kind = 'per-machine' | 'site' | 'floating';

/** What was sold, as the operator knows it. */
export interface Sold {
  readonly key: string;
  readonly kind: Kind;
  /** When it was revoked, by the right time; null while it is paid. */
  revokedAt: number | null;
}

/** How long floating licenses go on in this month without the service; the operator has chosen more than a day. */
export const FLOATING_DAYS = 20;
/** An app that reaches the service has heard of a revocation after that: it asks once a day, give or take two hours. */
const HEARS_AFTER_MS = 27 * HOUR_MS;

/** An app on a machine. */
export class Customer {
  readonly name: string;
  readonly license: Sold;
  readonly machine: Machine;
  readonly hasKeys: boolean;
  /** The number of its machine, by which its clock is wrong or right. */
  readonly place: number;
  /** The minute of the hour at which a floating one opens its app, or another one starts it anew. */
  readonly minute: number;
  isOpen = false;
  /** Whether nobody looks at it any more. */
  isGone = false;
  /** Whether it can reach the service. */
  isConnected = true;
  /** Until when the app may go on after the revocation. */
  #mayGoOnUntil = Number.POSITIVE_INFINITY;
  readonly #now: () => number;

  constructor(
    surroundings: Surroundings,
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
    this.#now = () => surroundings.now();
    let seed = place + 1;
    this.machine = new Machine(surroundings, disk?.name ?? name, {
      ...(trust ?? { grace: { floatingHours: FLOATING_DAYS * 24 } }),
      ...(disk === undefined ? {} : { storage: disk.storage }),
      // Two apps on one machine share its seat; neither takes it from the other at its end.
      ...(disk === undefined ? {} : { release: 'never' as const }),
      requestTimeoutMs: 20_000,
      random: () => {
        seed = (seed * 16_807) % 2_147_483_647;
        return seed / 2_147_483_647;
      },
    });
  }

  /** Opens the app, anew if it runs: as after a crash. */
  async open(onState: (customer: Customer) => void): Promise<void> {
    const app = await this.machine.start();
    this.isOpen = true;
    app.on('state', () => onState(this));
    onState(this);
  }

  /** Closes the app in order. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.machine.stop();
  }

  /** The operator has revoked the license, or has done it again after a backup had brought it back. */
  async wasRevoked(): Promise<void> {
    const now = this.#now();
    const ends = [now + DAY_MS, await this.#storedUntil()];
    this.#mayGoOnUntil = this.isConnected ? now + HEARS_AFTER_MS : Math.max(...ends);
  }

  /** An old backup has made the license good again. */
  isGoodAgain(): void {
    this.#mayGoOnUntil = Number.POSITIVE_INFINITY;
  }

  /** Until when the app runs by what is stored on the machine. */
  async #storedUntil(): Promise<number> {
    const { file, lastGoodAt } = JSON.parse((await this.machine.storage.read()) ?? '{}');
    if (this.hasKeys) return file ? (payloadIn(file).exp as number) * 1000 : 0;
    return lastGoodAt + (this.license.kind === 'floating' ? FLOATING_DAYS : 30) * DAY_MS;
  }

  /** What is wrong about what the app does at this moment; null where nothing is. */
  get wrong(): string | null {
    if (!this.isOpen) return null;
    const { state } = this.machine.app;
    if (this.license.revokedAt === null)
      return state.mayRun ? null : `has paid and is stopped: ${JSON.stringify(state)}`;
    // What stands on the hour may be off by the fraction of a second that is no part of a file's times.
    const isOver = this.#now() > this.#mayGoOnUntil + 60_000;
    return state.mayRun && isOver ? `was revoked and goes on: ${JSON.stringify(state)}` : null;
  }
}
