/** What rules need beside the request and the stored rows; one per thread. */

import type { LicenseMemory } from './licenses/client/license-memory.ts';
import type { TokenKeys } from './licenses/token-keys.ts';

/** Lengths of time an operator may choose. */
export interface Settings {
  /** How long a session token is good for. */
  readonly tokenLifetimeMs: number;
  /** How long a floating session lives without a sign of life. */
  readonly floatingTimeoutMs: number;
}

export interface Service {
  readonly settings: Settings;
  readonly tokenKeys: TokenKeys;
  /** Licenses read before, where this process is the only one that writes; null elsewhere. */
  readonly licenseMemory: LicenseMemory | null;
}
