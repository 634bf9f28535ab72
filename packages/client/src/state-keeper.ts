/**
 * Keeps the state in the app's storage. If that fails, keeps it in memory, because a full disk must not stop a
 * customer.
 */
import type { StateStorage } from './storage.ts';
import { EMPTY, readState, type StoredState, writeState } from './stored-state.ts';

export class StateKeeper {
  readonly #storage: StateStorage;
  readonly #onProblem: (detail: string) => void;
  /** The last state known to this process; null before the first read. */
  #known: StoredState | null = null;
  /** The text that was read or written last; null for none. */
  #text: string | null = null;
  /** Why the state cannot be read or written; null if it can. */
  problem: string | null = null;
  /** True if the last write failed, so that the known state is newer than the stored one. */
  #isAhead = false;
  /** True if every read has failed so far, as with a locked keychain. */
  isUnread = false;
  /** The unreadable text that was reported already. */
  #broken: string | null = null;

  /** @param onProblem called once when reading or writing fails, and again only after a success in between */
  constructor(storage: StateStorage, onProblem: (detail: string) => void) {
    this.#storage = storage;
    this.#onProblem = onProblem;
  }

  /** The present state, which another process may have changed. */
  async read(): Promise<StoredState> {
    if (this.#isAhead) return this.#known as StoredState;
    let text: string | null;
    try {
      text = await this.#storage.read();
    } catch (error) {
      this.#failed('read', error);
      this.isUnread = this.#known === null;
      return this.#known ?? EMPTY;
    }
    this.problem = null;
    this.isUnread = false;
    this.#text = text;
    const state = text === null ? EMPTY : readState(text);
    if (state === null) this.problem = 'the stored state cannot be read';
    if (state === null && text !== this.#broken) {
      this.#broken = text;
      this.#onProblem('the stored state cannot be read');
      await this.#storage.setAside?.(text as string).catch(() => {});
    }
    this.#known = state ?? this.#known ?? EMPTY;
    return this.#known;
  }

  /** Time of the last write to the storage, by the machine's clock; null if unknown. */
  async writtenAt(): Promise<number | null> {
    return (await this.#storage.writtenAt?.().catch(() => null)) ?? null;
  }

  /** Whether the stored text is neither the one that was read last nor the one that was written last. */
  async isChanged(): Promise<boolean> {
    return this.#storage.read().then(
      (text) => text !== this.#text,
      () => true,
    );
  }

  /**
   * Changes parts of the state. Does nothing if another process has stored another license, or none, since `base` was
   * read.
   *
   * @param changesOf gets the present state
   * @returns the present state
   */
  async change(base: StoredState, changesOf: (present: StoredState) => Partial<StoredState>): Promise<StoredState> {
    return this.#update((present) =>
      present.licenseKey === base.licenseKey ? { ...present, ...changesOf(present) } : null,
    );
  }

  /** Replaces the whole state. */
  async replace(state: StoredState): Promise<StoredState> {
    return this.#update(() => state);
  }

  /** @param next the state to store; null for no change */
  async #update(next: (present: StoredState) => StoredState | null): Promise<StoredState> {
    const change = async (): Promise<StoredState> => {
      const present = await this.read();
      const state = next(present);
      if (state === null) return present;
      this.#known = state;
      const text = state === EMPTY ? null : writeState(state);
      await (text === null ? this.#storage.remove() : this.#storage.write(text));
      this.#text = text;
      this.problem = null;
      this.#isAhead = false;
      return state;
    };
    try {
      return await (this.#storage.exclusively?.(change) ?? change());
    } catch (error) {
      this.#isAhead = true;
      this.#failed('write', error);
      return this.#known ?? EMPTY;
    }
  }

  #failed(what: 'read' | 'write', error: unknown): void {
    const isNew = this.problem === null;
    this.problem = `cannot ${what} the state: ${error instanceof Error ? error.message : error}`;
    if (isNew) this.#onProblem(this.problem);
  }
}
