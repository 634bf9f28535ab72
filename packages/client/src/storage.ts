/** Where the state is kept between starts. */

/** Keeps one text. Each of the three may reject: the client then goes on in memory and tells `storage-problem`. */
export interface StateStorage {
  /** The text that was written last; null without one. */
  read(): Promise<string | null>;
  /** Replaces the text as a whole. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
  /** Puts a text that cannot be understood aside, for support to look at; absent where there is no room for it. */
  setAside?(text: string): Promise<void>;
}

/** Keeps the state as long as the process lives: for tests, and for servers that activate at each start. */
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

/** What is used of the browser's `localStorage`. */
export interface BrowserStore {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** Keeps the state in `localStorage`, under a name of its own for each product. */
export function browserStorage(productId: string, store: BrowserStore = localStorage): StateStorage {
  const name = `latchkey.${productId}`;
  return {
    read: async () => store.getItem(name),
    write: async (text) => store.setItem(name, text),
    remove: async () => store.removeItem(name),
  };
}

/** A random fingerprint that is kept in `localStorage`: each profile of a browser is a machine. */
export function browserFingerprint(productId: string, store: BrowserStore = localStorage): string {
  const name = `latchkey.${productId}.machine`;
  const known = store.getItem(name);
  if (known !== null) return known;
  const made = `b1.${crypto.randomUUID()}`;
  store.setItem(name, made);
  return made;
}
