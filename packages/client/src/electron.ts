/**
 * `@latchkey/client/electron`: the client of `./node` for Electron's main process. The user's keychain, if there is
 * one, encrypts its state. Create the client after the app is ready.
 */
import type { Latchkey } from './latchkey.ts';
import { createLatchkey as createForNode, fileStorage, type NodeOptions, stateDirectory } from './node.ts';
import type { StateStorage } from './storage.ts';

export * from './node.ts';

/** The part of Electron's `safeStorage` that the client uses. */
export interface SafeStorage {
  isAsyncEncryptionAvailable(): Promise<boolean>;
  encryptStringAsync(text: string): Promise<Uint8Array>;
  /** `shouldReEncrypt`: the key was changed, so the text needs to be encrypted again. */
  decryptStringAsync(sealed: Uint8Array): Promise<{ readonly result: string; readonly shouldReEncrypt: boolean }>;
  /** Linux only. `basic_text` does not encrypt. */
  getSelectedStorageBackend?(): string;
}

/** Options of `@latchkey/client/electron`. */
export interface ElectronOptions extends NodeOptions {
  /** `safeStorage` of `electron`. */
  readonly safeStorage: SafeStorage;
}

const SEALED = 'sealed:';

/**
 * Encrypts the text of another storage. Without a keychain, stores it as plain text. If the keychain refuses, reading
 * fails: the client then has no state, emits `storage-problem` and does not overwrite the stored text.
 */
export function sealedStorage(safeStorage: SafeStorage, storage: StateStorage): StateStorage {
  const { setAside } = storage;
  const write = async (text: string): Promise<void> => {
    if (!(await canSeal(safeStorage))) return storage.write(text);
    const sealed = await safeStorage.encryptStringAsync(text);
    await storage.write(SEALED + Buffer.from(sealed).toString('base64'));
  };
  return {
    ...(setAside === undefined ? {} : { setAside: (text) => setAside.call(storage, text) }),
    async read() {
      const kept = await storage.read();
      if (kept === null || !kept.startsWith(SEALED)) return kept;
      const sealed = Buffer.from(kept.slice(SEALED.length), 'base64');
      const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(sealed);
      // The text was readable, so a failure is harmless: the next change encrypts it again.
      if (shouldReEncrypt) await write(result).catch(() => {});
      return result;
    },
    write,
    remove: () => storage.remove(),
  };
}

async function canSeal(safeStorage: SafeStorage): Promise<boolean> {
  if (safeStorage.getSelectedStorageBackend?.() === 'basic_text') return false;
  return safeStorage.isAsyncEncryptionAvailable();
}

/** Creates the client of an app. Throws a TypeError for invalid options. */
export function createLatchkey({ safeStorage, ...options }: ElectronOptions): Latchkey {
  const storage = options.storage ?? fileStorage(options.directory ?? stateDirectory(options.productId));
  return createForNode({ ...options, storage: sealedStorage(safeStorage, storage) });
}
