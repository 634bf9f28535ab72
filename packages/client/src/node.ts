/** `@latchkey/client/node`: for Node.js 20 and newer, and for the main process of Electron. */
import { createPublicKey, verify } from 'node:crypto';
import { hostname as systemHostname } from 'node:os';
import { create } from './create.ts';
import type { Latchkey } from './latchkey.ts';
import type { VerifySignature } from './license-file.ts';
import { fileStorage, stateDirectory } from './node/file-storage.ts';
import { machineFingerprint } from './node/fingerprint.ts';
import { httpsTransport, type Trust } from './node/https-transport.ts';
import { processFiles } from './node/processes.ts';
import { systemClock } from './node/system-clock.ts';
import type { LicenseFileTrust, PlatformOptions } from './options.ts';

export * from './index.ts';
export { fileStorage, stateDirectory } from './node/file-storage.ts';
export { machineFingerprint } from './node/fingerprint.ts';
export { httpsTransport, pinOf, type Trust } from './node/https-transport.ts';

/** Options of `@latchkey/client/node`; fingerprint and hostname are detected by default. */
export type NodeOptions = NodeFields & LicenseFileTrust;

/** Options with or without license files. */
export interface NodeFields extends Omit<PlatformOptions, 'storage' | 'fingerprint' | 'hostname'>, Trust {
  /** The folder of the state; by default a folder of the user. */
  readonly directory?: string;
  readonly storage?: PlatformOptions['storage'];
  readonly fingerprint?: PlatformOptions['fingerprint'];
  readonly hostname?: string;
}

const verifySignature: VerifySignature = async (x, message, signature) => {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};

/** Creates the client of an app. Throws a TypeError for invalid options. */
export function createLatchkey(options: NodeOptions): Latchkey {
  const { productId, heartbeatMs = 5 * 60_000 } = options;
  const directory = options.directory ?? stateDirectory(productId);
  return create(
    {
      ...options,
      storage: options.storage ?? fileStorage(directory),
      fingerprint: options.fingerprint ?? (() => machineFingerprint(productId, directory)),
      hostname: options.hostname ?? systemHostname(),
    },
    {
      transport: httpsTransport(options),
      clock: systemClock,
      verifySignature,
      processes: processFiles(directory, 3 * heartbeatMs),
    },
  );
}
