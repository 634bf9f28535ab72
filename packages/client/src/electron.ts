/**
 * `@latchkey/client/electron`: the client of `./node` for Electron's main process. The user's keychain, if there is
 * one, encrypts its state. Create the client after the app is ready.
 */
import type { Latchkey } from './latchkey.ts';
import { createLatchkey as createForNode, fileStorage, type NodeOptions, stateDirectory } from './node.ts';
import type { StateStorage } from './storage.ts';
import { type Fetch, transportBy } from './transport.ts';

export * from './node.ts';

/** The asynchronous form of `safeStorage`, since Electron 42. Either form reads text that the other encrypted. */
export interface AsyncSafeStorage {
  isAsyncEncryptionAvailable(): Promise<boolean> | boolean;
  encryptStringAsync(text: string): Promise<Uint8Array>;
  /** `shouldReEncrypt`: the key was changed, so the text needs to be encrypted again. */
  decryptStringAsync(sealed: Uint8Array): Promise<{ readonly result: string; readonly shouldReEncrypt: boolean }>;
}

/** The synchronous form of `safeStorage`, in Electron 15 to 45. */
export interface SyncSafeStorage {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Uint8Array;
  decryptString(sealed: Uint8Array): string;
}

/** The part of Electron's `safeStorage` that the client uses, in either form. */
export type SafeStorage = (AsyncSafeStorage | SyncSafeStorage) & {
  /** Linux only. `basic_text` does not encrypt. */
  getSelectedStorageBackend?(): string;
};

/** Options of `@latchkey/client/electron`. */
export type ElectronOptions = NodeOptions & {
  /** `safeStorage` of `electron`. */
  readonly safeStorage: SafeStorage;
  /**
   * `net` of `electron`. With it, requests take the proxy and the certificates that the system is set to; `ca`, `pins`
   * and `transport` of the options go before it.
   */
  readonly net?: { fetch(...request: Parameters<Fetch>): ReturnType<Fetch> };
};

const SEALED = 'sealed:';

/**
 * The first releases of Electron 42 crash if they are asked to encrypt before their keychain has answered
 * (https://github.com/electron/electron/pull/51924), so the synchronous form is used there.
 */
const CRASHES_WHEN_EARLY = '42';

/** The form of `safeStorage` to use, with the functions of the asynchronous one. */
function asyncForm(safeStorage: SafeStorage): AsyncSafeStorage {
  const { encryptStringAsync, encryptString } = safeStorage as Partial<AsyncSafeStorage & SyncSafeStorage>;
  const [version] = (process.versions.electron ?? '').split('.');
  const prefersSync = encryptString !== undefined && version === CRASHES_WHEN_EARLY;
  if (encryptStringAsync !== undefined && !prefersSync) return safeStorage as AsyncSafeStorage;
  if (encryptString === undefined)
    throw new TypeError('safeStorage is missing: use it in the main process of Electron 15 or newer');
  const keychain = safeStorage as SyncSafeStorage;
  return {
    isAsyncEncryptionAvailable: () => keychain.isEncryptionAvailable(),
    encryptStringAsync: async (text) => keychain.encryptString(text),
    decryptStringAsync: async (sealed) => ({ result: keychain.decryptString(sealed), shouldReEncrypt: false }),
  };
}

/**
 * Encrypts the text of another storage. Without a keychain, stores it as plain text. If the keychain refuses, reading
 * fails: the client then has no state, says so in `state.storageProblem` and does not overwrite the stored text. Throws
 * a TypeError if `safeStorage` has neither form.
 */
export function sealedStorage(safeStorage: SafeStorage, storage: StateStorage): StateStorage {
  const { setAside, watch, exclusively } = storage;
  const keychain = asyncForm(safeStorage);
  const write = async (text: string): Promise<void> => {
    const canSeal =
      safeStorage.getSelectedStorageBackend?.() !== 'basic_text' && (await keychain.isAsyncEncryptionAvailable());
    if (!canSeal) return storage.write(text);
    const sealed = await keychain.encryptStringAsync(text);
    await storage.write(SEALED + Buffer.from(sealed).toString('base64'));
  };
  return {
    ...(setAside === undefined ? {} : { setAside: (text) => setAside.call(storage, text) }),
    ...(exclusively === undefined ? {} : { exclusively: (change) => exclusively.call(storage, change) as never }),
    ...(watch === undefined ? {} : { watch: (onChange) => watch.call(storage, onChange) }),
    async read() {
      const kept = await storage.read();
      if (kept === null || !kept.startsWith(SEALED)) return kept;
      const sealed = Buffer.from(kept.slice(SEALED.length), 'base64');
      const { result, shouldReEncrypt } = await keychain.decryptStringAsync(sealed);
      // The text was readable, so a failure is harmless: the next change encrypts it again.
      if (shouldReEncrypt) await write(result).catch(() => {});
      return result;
    },
    write,
    remove: () => storage.remove(),
  };
}

/** Creates the client of an app. Throws a TypeError for invalid options. */
export function createLatchkey({ safeStorage, net, ...options }: ElectronOptions): Latchkey {
  const storage = options.storage ?? fileStorage(options.directory ?? stateDirectory(options.productId));
  const usesNode = options.ca !== undefined || options.pins !== undefined || options.trustSystem !== undefined;
  const byNet = net === undefined || usesNode ? {} : { transport: transportBy((url, send) => net.fetch(url, send)) };
  return createForNode({ ...byNet, ...options, storage: sealedStorage(safeStorage, storage) });
}
