/** What rules need besides the request and the stored rows; one per thread. */

import type { BelievedTime } from './believed-time/believed-time.ts';
import type { LicenseFileTerms } from './license-files/license-file.ts';
import type { RecentFiles } from './license-files/recent-files.ts';
import type { SigningKeys } from './license-files/signing-keys.ts';
import type { LicenseCache } from './licenses/client/license-cache.ts';
import type { TokenKeys } from './licenses/token-keys.ts';
import type { ViolationTally } from './licenses/violation-tally.ts';
import type { ObservedCalls } from './observed-calls/observed-calls.ts';

/** What an operator may choose that rules need. */
export interface Settings {
  /** How long a session token is good for. */
  readonly tokenLifetimeMs: number;
  /** How long a floating session lives without a sign of life. */
  readonly floatingTimeoutMs: number;
  /** How long events are kept. */
  readonly eventRetentionMs: number;
  /** Whether an API key may add products to the catalogue. */
  readonly creatorsMayCreateProducts: boolean;
  /** Keys that seal the answers kept for safe retries, the present one first (dispatch/reply-seal.ts). Secret. */
  readonly sealingKeys: readonly Uint8Array[];
  /** How much is kept for safe retries. */
  readonly keptReplies: KeptReplyBounds;
  /** Trial codes that one network may redeem in an hour without a credential; null: as many as it likes. */
  readonly trialsPerHour: number | null;
  /** How long license files last. */
  readonly licenseFiles: LicenseFileTerms;
  /** The keys of the operator's own file that sign license files, as PEM; null: those of the database do. Secret. */
  readonly signingKeys: string | null;
  /** Null: there is no console, and no session counts. */
  readonly console: ConsoleSettings | null;
}

/** How much is kept for safe retries (rules 9), in bytes. Beyond it a reply is given and not kept. */
export interface KeptReplyBounds {
  /** The longest reply that is kept, as it is answered. */
  readonly ofReply: number;
  /** All replies of a caller that are kept on one day, as they are stored. */
  readonly ofCaller: number;
  /** The same of a caller who shows the admin secret or the webhook secret alone. */
  readonly ofOperatorSecret: number;
}

/** What the console is told of the service, and what its sessions are bound to. */
export interface ConsoleSettings {
  /** What the operator calls this installation, such as `staging`; null: nothing. */
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
  /** License files that this process gave to apps a moment ago. */
  readonly recentFiles: RecentFiles;
  /** Repeated violations that this process has counted and not written yet. */
  readonly violationTally: ViolationTally;
  /** Hears what each call of the client endpoints came to. */
  readonly observedCalls: ObservedCalls;
  /** Asked before anything is removed or ended by time. */
  readonly believedTime: BelievedTime;
  /** Licenses read before, where this process is the only one that writes; null elsewhere. */
  readonly licenseCache: LicenseCache | null;
}
