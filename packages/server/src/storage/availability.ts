/** Knows from the calls of one storage what its database can do: {@link Storage.onAvailability} of both engines. */
import type { Availability } from './storage.ts';

/** Follows the state of a database and tells listeners of each change, once. */
export class AvailabilityWatch {
  readonly #listeners: ((availability: Availability) => void)[] = [];
  #state: Availability['state'] = 'available';

  add(listener: (availability: Availability) => void): void {
    this.#listeners.push(listener);
  }

  /** Whether the file is gone, which no later success changes. */
  get isGone(): boolean {
    return this.#state === 'gone';
  }

  /** Notes why a call could not be served. */
  failed(state: 'unwritable' | 'away' | 'gone', reason: string): void {
    if (this.#state === state || this.isGone) return;
    this.#change({ state, reason });
  }

  /** Notes that a call was served. One that wrote nothing does not show that the database takes writes again. */
  served(hasWritten: boolean): void {
    if (this.#state === 'away' || (this.#state === 'unwritable' && hasWritten)) this.#change({ state: 'available' });
  }

  #change(availability: Availability): void {
    this.#state = availability.state;
    for (const listener of this.#listeners) listener(availability);
  }
}
