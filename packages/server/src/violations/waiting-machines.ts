/**
 * New machines that waited for a seat of a floating license, as this process saw them. Waiting is ordinary use of such
 * a license, so nothing is written until the machines of a day are as many as indicate a shared key.
 */
import { LRUCache } from 'lru-cache';
import { DAY_MS } from '../base/clock.ts';
import { MACHINES_OF_A_SHARED_KEY, type Observation } from './violation.ts';

/** Licenses remembered at once, with at most four machines of 2 KiB each. The longest unused one is dropped. */
const MOST_LICENSES = 4_096;

/** The last wait of a machine. */
export interface Wait {
  readonly observation: Extract<Observation, { readonly type: 'machine_limit' }>;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class WaitingMachines {
  /** By license key, then by fingerprint, in the order of their last waits. */
  readonly #waits = new LRUCache<string, ReadonlyMap<string, Wait>>({ max: MOST_LICENSES });

  /**
   * Remembers a wait. Call it under the lock of the license. A failed transaction does not take it back: the machine
   * did wait.
   *
   * @returns the waits of the last day, one for each machine and oldest first, once the machines are as many as those
   *   of a shared key; else null
   */
  add(licenseKey: string, observation: Wait['observation'], now: number): readonly Wait[] | null {
    const { fingerprint } = observation;
    const before = [...(this.#waits.get(licenseKey) ?? [])];
    const others = before.filter(([other, { at }]) => other !== fingerprint && at > now - DAY_MS);
    const waits = new Map([...others, [fingerprint, { observation, at: now }] as const]);
    if (waits.size >= MACHINES_OF_A_SHARED_KEY) return [...waits.values()];
    this.#waits.set(licenseKey, waits);
    return null;
  }

  /** Drops the waits of a license. */
  forget(licenseKey: string): void {
    this.#waits.delete(licenseKey);
  }
}
