/**
 * The context of rules beside the request and the stored rows; one per thread. A slice declares what its own rules
 * need, beside the type of it (licensing/violations/violation-tally.ts), so that nothing here knows a slice.
 */

import type { CreatorQuotas } from './quotas.ts';

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
  /** Number of uses of each quota of a creator within 24 hours; null: unlimited. */
  readonly creatorQuotas: CreatorQuotas;
  /**
   * Keys that seal the replies kept for safe retries, the present one first (platform/kept-replies/seal.ts). Secret.
   */
  readonly sealingKeys: readonly Uint8Array[];
  /** Bounds of the replies that are kept for safe retries. */
  readonly keptReplies: KeptReplyBounds;
  /** Trial codes that one network may redeem in an hour without a credential; null: unlimited. */
  readonly trialsPerHour: number | null;
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
  /** Keys that tie sessions to the admin secrets, the present one first (access/console/binding.ts). Secret. */
  readonly bindingKeys: readonly Uint8Array[];
  /** Whether the admin secret signs in to the console; sign-in links do in any case. */
  readonly takesAdminSecret: boolean;
  /** Digest of the settings from which the rights of the identity provider's people follow; null without a provider. */
  readonly providerDigest: string | null;
}

export interface RuleContext {
  readonly settings: Settings;
}
