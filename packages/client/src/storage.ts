/** Storage for the state between starts. */

/** Stores one text. Every method may reject: the client then goes on in memory and emits `storage-problem`. */
export interface StateStorage {
  /** The text of the last write; null without one. */
  read(): Promise<string | null>;
  /** Replaces the whole text. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
  /**
   * Makes a change, a reading and a writing, while no other process makes one. Repeats the change if that cannot be
   * held to. Absent if a single process uses the storage.
   */
  exclusively?<Result>(change: () => Promise<Result>): Promise<Result>;
  /** Moves an unreadable text aside, for support to inspect; absent if the storage has no place for it. */
  setAside?(text: string): Promise<void>;
  /**
   * Time of the last write, by the machine's clock, in milliseconds since 1970; null before the first write. Absent if
   * the storage does not record it. A clock that shows an earlier time has been set back.
   */
  writtenAt?(): Promise<number | null>;
  /**
   * Calls back within three seconds after anybody has changed the text, this process included. Returns a function that
   * stops the calls. Absent if changes cannot be observed; the client then notices them at its next check.
   */
  watch?(onChange: () => void): () => void;
}

/** Keeps the state for the life of the process: for tests, and for servers that activate at each start. */
export function memoryStorage(): StateStorage {
  let kept: string | null = null;
  return {
    read: async () => kept,
    write: async (text) => {
      kept = text;
    },
    remove: async () => {
      kept = null;
    },
  };
}

/** The part of the browser's `localStorage` that the client uses. */
export interface BrowserStore {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** Stores the state in `localStorage`, under a separate name for each product. */
export function browserStorage(productId: string, store: BrowserStore = localStorage): StateStorage {
  const name = `latchkey.${productId}`;
  return {
    read: async () => store.getItem(name),
    write: async (text) => store.setItem(name, text),
    remove: async () => store.removeItem(name),
    // A browser sends this event to the other pages of an origin when one of them stores something.
    watch(onChange) {
      const listen = ({ key }: StorageEvent) => {
        if (key === name) onChange();
      };
      globalThis.addEventListener?.('storage', listen);
      return () => globalThis.removeEventListener?.('storage', listen);
    },
  };
}

/** A random fingerprint in `localStorage`: each browser profile is a machine. */
export function browserFingerprint(productId: string, store: BrowserStore = localStorage): string {
  const name = `latchkey.${productId}.machine`;
  const known = store.getItem(name);
  if (known !== null) return known;
  const made = `b1.${crypto.randomUUID()}`;
  store.setItem(name, made);
  return made;
}
