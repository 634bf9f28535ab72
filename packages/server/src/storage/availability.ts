/** Knows from the calls of one storage what its database can do: {@link Storage.onAvailability} of both engines. */
import { type Availability, StorageAway, StorageDamaged, StorageOverwritten } from './storage.ts';

type State = Availability['state'];

/** A file that nobody may read or write any more, until a start. */
export type LostFile = Extract<Availability, { readonly reason: string }> & {
  readonly state: 'damaged' | 'overwritten';
};

/** Whether a file is neither read nor written any more, until a start. */
export function isLostFile(availability: Availability): availability is LostFile {
  return availability.state === 'damaged' || availability.state === 'overwritten';
}

/** Whether nothing is read from a database in this state, and nothing written. */
export function isUnreadable(availability: Availability): boolean {
  return availability.state === 'away' || isLostFile(availability);
}

/** Whether a state lasts until the service is started anew. */
export function isLasting(availability: Availability): boolean {
  return availability.state === 'gone' || isLostFile(availability);
}

/** Follows the state of a database and tells listeners of each change, once. */
export class AvailabilityWatch {
  readonly #listeners: ((availability: Availability) => void)[] = [];
  #known: Availability = { state: 'available' };
  /** What is thrown at whoever would use a database that is not used any more; undefined while it is. */
  #refusal: StorageAway | undefined;

  add(listener: (availability: Availability) => void): void {
    this.#listeners.push(listener);
  }

  /** What the database can do. */
  get known(): Availability {
    return this.#known;
  }

  /** Whether nothing is written any more, which no later success changes. */
  get isLost(): boolean {
    return isLasting(this.#known);
  }

  /** The error for whoever would read, once nothing is read any more; undefined until then. */
  get readRefusal(): StorageAway | undefined {
    return this.#refusal;
  }

  /** Notes why a call could not be served. */
  failed(state: Exclude<State, 'available'>, reason: string): void {
    const found: Availability = { state, reason };
    if (this.#known.state === state || this.#refusal !== undefined) return;
    if (isLostFile(found)) this.#refusal = new StorageAway(reason);
    else if (this.isLost) return;
    this.#change(found);
  }

  /** Notes an error that stands for a failure of the database; `unwritable` unless the error says more. */
  failedWith(error: Error): void {
    const state =
      error instanceof StorageDamaged ? 'damaged' : error instanceof StorageOverwritten ? 'overwritten' : 'unwritable';
    this.failed(state, error.message);
  }

  /** Notes that a call was served. One that wrote nothing does not show that the database takes writes again. */
  served(hasWritten: boolean): void {
    const { state } = this.#known;
    if (state === 'away' || (state === 'unwritable' && hasWritten)) this.#change({ state: 'available' });
  }

  #change(availability: Availability): void {
    this.#known = availability;
    for (const listener of this.#listeners) listener(availability);
  }
}
