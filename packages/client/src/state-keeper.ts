/** Keeps the state in the app's storage; in memory when that fails, because a full disk must not stop a customer. */
import type { StateStorage } from './storage.ts';
import { EMPTY, readState, type StoredState, writeState } from './stored-state.ts';

export class StateKeeper {
  readonly #storage: StateStorage;
  readonly #onProblem: (detail: string) => void;
  /** What this process knows; null before it read anything. */
  #known: StoredState | null = null;
  #hasFailed = false;
  /** Whether what this process knows could not be written, and so is newer than what is stored. */
  #isAhead = false;
  /** Whether nothing could be read so far, as from a keychain that is locked. */
  isUnread = false;
  /** A text that could not be understood and was told. */
  #broken: string | null = null;

  /** @param onProblem is told once when reading or writing fails, and again only after it worked in between */
  constructor(storage: StateStorage, onProblem: (detail: string) => void) {
    this.#storage = storage;
    this.#onProblem = onProblem;
  }

  /** The state as it is now; another process may have changed it. */
  async read(): Promise<StoredState> {
    if (this.#isAhead && this.#known !== null) return this.#known;
    let text: string | null;
    try {
      text = await this.#storage.read();
    } catch (error) {
      this.#failed('read', error);
      this.isUnread = this.#known === null;
      return this.#known ?? EMPTY;
    }
    this.#hasFailed = false;
    this.isUnread = false;
    const state = text === null ? EMPTY : readState(text);
    if (state === null && text !== this.#broken) {
      this.#broken = text;
      this.#onProblem('what was stored cannot be understood');
      await this.#storage.setAside?.(text as string).catch(() => {});
    }
    this.#known = state ?? this.#known ?? EMPTY;
    return this.#known;
  }

  /**
   * Changes some of the state. Where another process has put another license there, or none, since `base` was read, that
   * stays as it is.
   *
   * @returns the state as it is now
   */
  async change(base: StoredState, changes: Partial<StoredState>): Promise<StoredState> {
    const present = await this.read();
    if (present.licenseKey !== base.licenseKey) return present;
    return this.replace({ ...present, ...changes });
  }

  /** Replaces all of the state. */
  async replace(state: StoredState): Promise<StoredState> {
    this.#known = state;
    try {
      await (state === EMPTY ? this.#storage.remove() : this.#storage.write(writeState(state)));
      this.#hasFailed = false;
      this.#isAhead = false;
    } catch (error) {
      this.#isAhead = true;
      this.#failed('write', error);
    }
    return state;
  }

  #failed(what: 'read' | 'write', error: unknown): void {
    if (!this.#hasFailed)
      this.#onProblem(`cannot ${what} the state: ${error instanceof Error ? error.message : error}`);
    this.#hasFailed = true;
  }
}
