/** Derives the state of a database from the outcome of its calls: {@link Storage.onAvailability} of both engines. */
import { type Availability, StorageAway, StorageDamaged } from './storage.ts';

type State = Availability['state'];

/** A file that must not be read or written until the next start. */
export type LostFile = Extract<Availability, { readonly reason: string }> & {
  readonly state: 'damaged';
};

/** Whether the file must not be read or written until the next start. */
export function isLostFile(availability: Availability): availability is LostFile {
  return availability.state === 'damaged';
}

/** Whether a database in this state is neither read nor written. */
export function isUnreadable(availability: Availability): boolean {
  return availability.state === 'away' || isLostFile(availability);
}

/** Whether a state lasts until the service restarts. */
export function isLasting(availability: Availability): boolean {
  return availability.state === 'gone' || isLostFile(availability);
}

/** Follows the state of a database and notifies listeners once of each change. */
export class AvailabilityWatch {
  readonly #listeners: ((availability: Availability) => void)[] = [];
  #known: Availability = { state: 'available' };
  /** The error for every use of a lost file; undefined while the file is in use. */
  #refusal: StorageAway | undefined;

  add(listener: (availability: Availability) => void): void {
    this.#listeners.push(listener);
  }

  /** The current state. */
  get known(): Availability {
    return this.#known;
  }

  /** Whether writes have stopped for good: no later success changes that. */
  get isLost(): boolean {
    return isLasting(this.#known);
  }

  /** The error for reads of a lost file; undefined until then. */
  get readRefusal(): StorageAway | undefined {
    return this.#refusal;
  }

  /** Records why a call could not be served. */
  failed(state: Exclude<State, 'available'>, reason: string): void {
    const found: Availability = { state, reason };
    if (this.#known.state === state || this.#refusal !== undefined) return;
    if (isLostFile(found)) this.#refusal = new StorageAway(reason);
    else if (this.isLost) return;
    this.#change(found);
  }

  /** Records an error of the database; the state is `unwritable` unless the error's class is more specific. */
  failedWith(error: Error): void {
    this.failed(error instanceof StorageDamaged ? 'damaged' : 'unwritable', error.message);
  }

  /** Records that a call was served. A call that wrote nothing does not prove that the database takes writes again. */
  served(hasWritten: boolean): void {
    const { state } = this.#known;
    if (state === 'away' || (state === 'unwritable' && hasWritten)) this.#change({ state: 'available' });
  }

  #change(availability: Availability): void {
    this.#known = availability;
    for (const listener of this.#listeners) listener(availability);
  }
}
