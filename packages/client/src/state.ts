/** The state of the license as apps read it. Plain data, so that it can be sent to other processes and windows. */
import type { LicenseType } from './contract.ts';
import type { RefusalCode } from './refusals.ts';

/**
 * The type of a license. A server newer than the app may name another type, which the client treats as one without
 * heartbeats.
 */
export type AnyLicenseType = LicenseType | (string & Readonly<Record<never, never>>);

/** The value of a feature: a right, a number or a text. */
export type FeatureValue = boolean | number | string;

/** The features of a license by their names. */
export type Features = Readonly<Record<string, FeatureValue>>;

/** The known facts about the license. Times are ISO 8601 in UTC. */
export interface LicenseFacts {
  /** The last group of the license key, which identifies it to the user. */
  readonly licenseKeyHint: string;
  readonly productId: string;
  readonly variant: string | null;
  /** Null if the server does not say. */
  readonly licenseType: AnyLicenseType | null;
  /** Null for a perpetual license. */
  readonly licenseExpiresAt: string | null;
  /** Days until the expiry, as of the last answer; null for a perpetual license. */
  readonly daysRemaining: number | null;
  /** Null before the first answer of the server. */
  readonly machinesUsed: number | null;
  /** -1 for no limit; null before the first answer of the server. */
  readonly maxMachines: number | null;
  /** The end of the time that is lent after the expiry; null before the expiry, and for a license without such time. */
  readonly graceUntil: string | null;
  /** Builds of a later date are not covered; null for no end. */
  readonly updatesUntil: string | null;
  /** The last covered version; null for no such bound. */
  readonly maxVersion: string | null;
  /** Null if the license has none. Ask `feature()`, which trusts a signed file alone. */
  readonly features: Features | null;
}

/**
 * The cause of a missing or bad answer: the connection to the server (`network`, `tls`, `timeout`), an answer that is
 * not the service's (`answer`), a service that asks to wait (`busy`), a service that has lost data
 * (`license_not_found`, `token`), a request that the service considers invalid (`request`), a license that has expired
 * by the service's clock, which differs by more than a day from the time known here (`clock`), or no request so far
 * (`not_asked`).
 */
export type ProblemKind =
  | 'network'
  | 'tls'
  | 'timeout'
  | 'answer'
  | 'busy'
  | 'license_not_found'
  | 'token'
  | 'request'
  | 'clock'
  | 'not_asked';

/** The cause of a missing or bad answer. */
export interface Problem {
  readonly kind: ProblemKind;
  /** For a log, in English; contains no secret. */
  readonly detail: string;
}

/** The machine's clock compared with the server's time. `behind` and `ahead` mean by more than a day. */
export type ClockCondition = 'right' | 'behind' | 'ahead';

interface Common {
  /** The known facts about the license; null before a key was accepted. */
  readonly facts: LicenseFacts | null;
  readonly clock: ClockCondition;
  /**
   * Why the state cannot be read or written, for a log and for a notice; null if it can. The app goes on in memory, and
   * may look `unlicensed` although a key is stored.
   */
  readonly storageProblem: string | null;
}

/** No key was entered. */
export interface Unlicensed extends Common {
  readonly status: 'unlicensed';
  readonly mayRun: false;
}

/** The server has accepted the license, or a license file proves it. */
export interface Licensed extends Common {
  readonly status: 'licensed';
  readonly mayRun: true;
  /** `server`: accepted in this process; `stored`: by a license file or an earlier answer. */
  readonly source: 'server' | 'stored';
  /** The time until which the app goes on without another answer; null for no end. */
  readonly until: string | null;
}

/** The server cannot be asked, but the app goes on. */
export interface Grace extends Common {
  readonly status: 'grace';
  readonly mayRun: true;
  readonly until: string;
  /** The last time the server could be asked. */
  readonly since: string;
  readonly problem: Problem;
}

/** The grace is over, and the server still cannot be asked. */
export interface Lapsed extends Common {
  readonly status: 'lapsed';
  readonly mayRun: false;
  readonly since: string;
  readonly problem: Problem;
}

/** Every seat of the floating license is taken; the client asks again automatically. */
export interface Waiting extends Common {
  readonly status: 'waiting';
  readonly mayRun: false;
  readonly for: 'seat';
}

/** The machine no longer has a slot, because somebody freed it. `activate()` takes one again if one is free. */
export interface Released extends Common {
  readonly status: 'released';
  readonly mayRun: false;
}

/** The server refused the license, or the license does not cover this build (`update_not_covered`). */
export interface RefusedState extends Common {
  readonly status: 'refused';
  readonly mayRun: false;
  readonly why: RefusalCode;
  /** Null for `update_not_covered`. */
  readonly since: string | null;
}

/** The state of the license on this machine. */
export type LicenseState = Unlicensed | Licensed | Grace | Lapsed | Waiting | Released | RefusedState;

/** The outcome of a use of a meter. */
export type Consumption = Counted | Queued;

/** The service has counted the use, or only answered if no units were given. */
export interface Counted {
  readonly status: 'counted';
  readonly meter: string;
  /** Units that are used in the present period. */
  readonly used: number;
  /** -1 for no limit. */
  readonly limit: number;
  /** Null for no limit. */
  readonly remaining: number | null;
  /** When the next period begins; null if none does. */
  readonly resetsAt: string | null;
}

/** The service did not answer. The use is stored, and is sent later. */
export interface Queued {
  readonly status: 'queued';
  readonly meter: string;
  readonly units: number;
  readonly requestId: string;
}

/** A stored use that the service refused when it was sent. It was not counted. */
export interface RefusedUse {
  readonly meter: string;
  readonly units: number;
  readonly requestId: string;
  readonly code: RefusalCode;
}

/** The events of `on` and their details. */
export interface Events {
  /** Every change of the state. */
  readonly state: { readonly old: LicenseState; readonly new: LicenseState };
  /** The seat of a floating license was lost while the app was running: offer to save, do not close. */
  readonly 'seat-lost': { readonly state: LicenseState };
  readonly 'seat-regained': { readonly state: LicenseState };
  readonly 'grace-started': { readonly until: string; readonly problem: Problem };
  /** Emitted once each when 72, 24 and 1 hours are left. */
  readonly 'grace-ending': { readonly until: string; readonly hoursLeft: number };
  /** The license now expires later than before. */
  readonly renewed: { readonly licenseExpiresAt: string | null };
  /** The service refused a use that waited: show it, or let the user buy more units. */
  readonly 'use-refused': RefusedUse;
  /** The state cannot be read or written; the app goes on without storage. */
  readonly 'storage-problem': { readonly detail: string };
}
