/**
 * `@latchkey/client/electron`: the client of `./node` for Electron's main process, whose state is sealed by the keychain of the
 * user where there is one. Create it once the app is ready.
 */
import type { Latchkey } from './latchkey.ts';
import { createLatchkey as createForNode, fileStorage, type NodeOptions, stateDirectory } from './node.ts';
import type { StateStorage } from './storage.ts';

export * from './node.ts';

/** What is used of Electron's `safeStorage`. */
export interface SafeStorage {
  isAsyncEncryptionAvailable(): Promise<boolean>;
  encryptStringAsync(text: string): Promise<Uint8Array>;
  /** `shouldReEncrypt`: the key was changed, and the text is to be sealed anew. */
  decryptStringAsync(sealed: Uint8Array): Promise<{ readonly result: string; readonly shouldReEncrypt: boolean }>;
  /** On Linux only: `basic_text` seals nothing. */
  getSelectedStorageBackend?(): string;
}

/** Options of `@latchkey/client/electron`. */
export interface ElectronOptions extends NodeOptions {
  /** `safeStorage` of `electron`. */
  readonly safeStorage: SafeStorage;
}

const SEALED = 'sealed:';

/**
 * Seals what another storage keeps. Without a keychain it is kept as it is. Where the keychain says no, reading fails: the
 * client then knows nothing, tells `storage-problem` and does not write over what is there.
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
      // It can be read, and is sealed anew at the next change at the latest.
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

/** Makes the client of an app. Throws a TypeError where the options cannot be meant. */
export function createLatchkey({ safeStorage, ...options }: ElectronOptions): Latchkey {
  const storage = options.storage ?? fileStorage(options.directory ?? stateDirectory(options.productId));
  return createForNode({ ...options, storage: sealedStorage(safeStorage, storage) });
}
