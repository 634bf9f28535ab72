/** `@latchkey/client`: for every platform with `fetch` and WebCrypto. */
import { create } from './create.ts';
import type { Latchkey } from './latchkey.ts';
import { webCryptoVerify } from './license-file.ts';
import type { Options } from './options.ts';
import { fetchTransport } from './transport.ts';
import type { Clock } from './trusted-clock.ts';

export type { LicenseType } from './contract.ts';
export { Refused, Unreachable } from './errors.ts';
export type { Latchkey } from './latchkey.ts';
export { BadLicenseFile, type BadLicenseFileReason, type LicenseFileClaims, type PublicKey } from './license-file.ts';
export type { TrialOrder } from './machine-calls.ts';
export type { Options } from './options.ts';
export type { RefusalCode } from './refusals.ts';
export type * from './state.ts';
export { type BrowserStore, browserFingerprint, browserStorage, memoryStorage, type StateStorage } from './storage.ts';
export {
  fetchTransport,
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from './transport.ts';
export type { Clock } from './trusted-clock.ts';

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  countsSleep: false,
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    // In Node.js a timer keeps the process alive unless it is unreferenced.
    (timer as { unref?: () => void }).unref?.();
    return () => clearTimeout(timer);
  },
};

/** Creates the client of an app. Throws a TypeError for invalid options. */
export function createLatchkey(options: Options): Latchkey {
  return create(options, { transport: fetchTransport, clock, verifySignature: webCryptoVerify, processes: null });
}
