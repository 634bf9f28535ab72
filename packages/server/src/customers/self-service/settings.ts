/** The settings of self-service, and the times of its rules (rules 13). */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** Null: there are no pages for customers. */
    readonly selfService: SelfServiceSettings | null;
  }
}

/** Settings of self-service. */
export interface SelfServiceSettings {
  /** `shops`: licenses are shown only on the page of the creator who owns their product. */
  readonly mode: 'on' | 'shops';
  /** The most devices of a license that its customer may free within 30 days; null: none. */
  readonly maxReleases: number | null;
  /** Whether customers may make files for computers without a connection. */
  readonly makesFiles: boolean;
  /** The address of the service for browsers, such as `https://licenses.example.com`. */
  readonly publicUrl: string;
  /** The key of mailed codes (code.ts). Secret. */
  readonly codeKey: Uint8Array;
  /** The most requests for a code that are open at once, in the whole installation. */
  readonly maxOpenRequests: number;
}

/** Lifetimes and periods. */
export const TIMES = {
  /** A mailed code. */
  code: 10 * MINUTE_MS,
  /** A session, from its beginning. */
  session: 12 * HOUR_MS,
  /** A session that is not used. */
  idle: HOUR_MS,
  /** The time for which a browser that signed in is known. */
  known: 180 * DAY_MS,
  /** The age below which a trial does not prove a customer: strangers can make one for any address. */
  freshTrial: 30 * DAY_MS,
  /** A license without a purchase that ends within this time may be the trial of a machine. */
  longestTrial: 90 * DAY_MS,
  /** The interval at which the use of a session is stored. */
  useKept: MINUTE_MS,
  /** The youngest device that may be freed. */
  newDevice: HOUR_MS,
  /** A device without a sign of life for so long costs nothing when it is freed. */
  unseenDevice: 30 * DAY_MS,
  /** The period in which freed devices count. */
  releases: 30 * DAY_MS,
  /** The period in which a license gets one new key from its customer. */
  newKey: 30 * DAY_MS,
  /** The period in which files count, and their longest validity. */
  files: 365 * DAY_MS,
} as const;

/** Wrong codes that one request bears. */
export const MAX_TRIES = 5;
/** Sessions of an address at a shop at once; a further one ends the one that was used longest ago. */
export const MAX_SESSIONS = 20;
/** Unused links of an address at a shop at once; a further one replaces the oldest. */
export const MAX_LINKS = 20;

/** Limits over time. Those of a network are multiplied for wide networks (ground/base/network-address.ts). */
export const LIMITS = {
  /** Requests for a code of a network in an hour. */
  requestsOfNetwork: 20,
  /** Wrong codes of a network in an hour. */
  wrongCodesOfNetwork: 50,
  /** Mailed codes of an address at a shop, for requests of one network, in an hour. */
  codesOfAddressAndNetwork: 3,
  /** Mailed codes of an address at a shop in an hour, and in a day; as many for browsers that signed in before. */
  codesOfAddress: { hour: 6, day: 20 },
  /** E-mails with keys of an address at a shop in a day. */
  keyMailsOfAddress: 3,
  /** Files of a license in an hour, repeats for the same device included. */
  filesOfLicense: 10,
} as const;
