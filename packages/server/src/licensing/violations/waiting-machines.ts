/**
 * New machines that waited for a seat of a floating license, as this process saw them. Waiting is ordinary use of such
 * a license, so nothing is written until the machines of a day are as many as indicate a shared key.
 */
import { LRUCache } from 'lru-cache';
import { DAY_MS } from '../../ground/base/clock.ts';
import type { Observation } from './observation.ts';
import { MACHINES_OF_A_SHARED_KEY } from './violation.ts';

/** Licenses remembered at once, with at most five machines of 2 KiB each. The longest unused one is dropped. */
const MAX_LICENSES = 4_096;

/** The last wait of a machine. */
export interface Wait {
  readonly observation: Extract<Observation, { readonly type: 'machine_limit' }>;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A license with the address of its owner. */
interface OwnedLicense {
  readonly licenseKey: string;
  readonly email: string;
}

/** The waits of a license. */
interface Known {
  /** The address of the license at the last wait. */
  readonly email: string;
  /** One for each machine, oldest first. */
  readonly waits: readonly Wait[];
}

export class WaitingMachines {
  /** By license key. */
  readonly #known = new LRUCache<string, Known>({ max: MAX_LICENSES });

  /**
   * Remembers a wait, and drops those of a former owner: another node may have forgotten that customer. Call it under
   * the lock of the license. A failed transaction does not take it back: the machine did wait.
   *
   * @returns whether the machines of the last day are as many as those of a shared key
   */
  add(license: OwnedLicense, observation: Wait['observation'], now: number): boolean {
    const { licenseKey, email } = license;
    const known = this.#known.get(licenseKey);
    const others = (known?.email === email ? known.waits : []).filter(
      (wait) => wait.observation.fingerprint !== observation.fingerprint && wait.at > now - DAY_MS,
    );
    const waits = [...others, { observation, at: now }].slice(-MACHINES_OF_A_SHARED_KEY);
    this.#known.set(licenseKey, { email, waits });
    return waits.length === MACHINES_OF_A_SHARED_KEY;
  }

  /**
   * Drops the waits of a license before a moment.
   *
   * @param settledAt milliseconds since 1970; null drops none
   * @returns the others, if they are still as many as those of a shared key; else null
   */
  after(licenseKey: string, settledAt: number | null): readonly Wait[] | null {
    const known = this.#known.get(licenseKey);
    if (known === undefined) return null;
    const waits = known.waits.filter(({ at }) => settledAt === null || at >= settledAt);
    this.#known.set(licenseKey, { ...known, waits });
    return waits.length === MACHINES_OF_A_SHARED_KEY ? waits : null;
  }

  /** Drops the waits of a license. */
  forget(licenseKey: string): void {
    this.#known.delete(licenseKey);
  }
}
