/** The context of rules beside the request and the stored rows; one per thread. */

import type { BelievedTime } from '../believed-time/believed-time.ts';
import type { LicenseCache } from '../client-endpoints/license-cache.ts';
import type { LicenseFileTerms } from '../license-files/license-file.ts';
import type { RecentFiles } from '../license-files/recent-files.ts';
import type { SigningKeys } from '../license-files/signing-keys.ts';
import type { ObservedCalls } from '../observed-calls/observed-calls.ts';
import type { TokenKeys } from '../session-tokens/token-keys.ts';
import type { ViolationTally } from '../violations/violation-tally.ts';

/** Operator settings that rules need. */
export interface Settings {
  /** Lifetime of a session token. */
  readonly tokenLifetimeMs: number;
  /** Time after which a floating session without a sign of life ends. */
  readonly floatingTimeoutMs: number;
  /** Retention of events. */
  readonly eventRetentionMs: number;
  /** Whether an API key may add products to the catalogue. */
  readonly creatorsMayCreateProducts: boolean;
  /** Keys that seal the replies kept for safe retries, the present one first (kept-replies/seal.ts). Secret. */
  readonly sealingKeys: readonly Uint8Array[];
  /** Bounds of the replies that are kept for safe retries. */
  readonly keptReplies: KeptReplyBounds;
  /** Trial codes that one network may redeem in an hour without a credential; null: unlimited. */
  readonly trialsPerHour: number | null;
  /** Lifetimes of license files. */
  readonly licenseFiles: LicenseFileTerms;
  /**
   * The keys of the operator's own file that sign license files, as PEM; null: the keys in the database sign. Secret.
   */
  readonly signingKeys: string | null;
  /** Null: there is no console, and console sessions are not accepted. */
  readonly console: ConsoleSettings | null;
}

/**
 * Bounds of the replies that are kept for safe retries (rules 9), in bytes. A reply beyond them is sent and not kept.
 */
export interface KeptReplyBounds {
  /** The longest reply that is kept, in its sent form. */
  readonly ofReply: number;
  /** All replies of a caller that are kept on one day, in their stored form. */
  readonly ofCaller: number;
  /** The same for a caller with only the admin secret or the webhook secret. */
  readonly ofOperatorSecret: number;
}

/** The facts about the service that the console shows, and the keys that bind its sessions. */
export interface ConsoleSettings {
  /** The operator's name for this installation, such as `staging`; null: none. */
  readonly label: string | null;
  /** The version of the package. */
  readonly version: string;
  readonly engine: 'sqlite' | 'postgres';
  /** Whether the countries of machines are known. */
  readonly areCountriesKnown: boolean;
  /** Keys that tie sessions to the admin secrets, the present one first (console/binding.ts). Secret. */
  readonly bindingKeys: readonly Uint8Array[];
}

export interface RuleContext {
  readonly settings: Settings;
  readonly tokenKeys: TokenKeys;
  /** The keys that sign license files. */
  readonly signingKeys: SigningKeys;
  /** License files that this process issued to apps a moment ago. */
  readonly recentFiles: RecentFiles;
  /** Repeated violations that this process has counted but not written yet. */
  readonly violationTally: ViolationTally;
  /** Records the result of each call of the client endpoints. */
  readonly observedCalls: ObservedCalls;
  /** Asked before a rule removes or ends anything by time. */
  readonly believedTime: BelievedTime;
  /** Cache of licenses, where this process is the only writer; null elsewhere. */
  readonly licenseCache: LicenseCache | null;
}
