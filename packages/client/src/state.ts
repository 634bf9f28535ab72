/** What an app can read about its license at any time. Plain data: it can be sent to other processes and windows. */
import type { LicenseType } from './contract.ts';
import type { RefusalCode } from './refusals.ts';

/** What is known about the license. Times are ISO 8601 in UTC. */
export interface LicenseFacts {
  /** The last group of the license key, to show which one it is. */
  readonly licenseKeyHint: string;
  readonly productId: string;
  readonly variant: string | null;
  /** Null with a server that does not tell. */
  readonly licenseType: LicenseType | null;
  /** Null for a perpetual license. */
  readonly licenseExpiresAt: string | null;
  /** Days until then, at the last answer; null for a perpetual license. */
  readonly daysRemaining: number | null;
  /** Null until the server said. */
  readonly machinesUsed: number | null;
  /** -1 is unlimited; null until the server said. */
  readonly maxMachines: number | null;
}

/**
 * Why there is no good answer: the way to the server (`network`, `tls`, `timeout`), an answer that is not the service's
 * (`answer`), a service that asks to wait (`busy`), a service that does not know what it knew (`license_not_found`, `token`),
 * a request it takes for wrong (`request`), a service that takes the license for expired while its clock and the time that is
 * known here differ by more than a day (`clock`), or nobody was asked yet (`not_asked`).
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

/** What stands between the app and a good answer. */
export interface Problem {
  readonly kind: ProblemKind;
  /** For a log, in English; holds no secret. */
  readonly detail: string;
}

/** Whether the clock of the machine differs by more than a day from the time that the server told. */
export type ClockCondition = 'right' | 'behind' | 'ahead';

interface Common {
  /** What is known about the license; null before a key was accepted. */
  readonly facts: LicenseFacts | null;
  readonly clock: ClockCondition;
}

/** No key was entered. */
export interface Unlicensed extends Common {
  readonly status: 'unlicensed';
  readonly mayRun: false;
}

/** The server said yes, or a license file does. */
export interface Licensed extends Common {
  readonly status: 'licensed';
  readonly mayRun: true;
  /** Whether the server said so in this process, or what is stored does: a license file, or an answer of before. */
  readonly source: 'server' | 'stored';
  /** Until when the app goes on without another answer; null for ever. */
  readonly until: string | null;
}

/** The server cannot be asked, but the app goes on. */
export interface Grace extends Common {
  readonly status: 'grace';
  readonly mayRun: true;
  readonly until: string;
  /** When the server could be asked for the last time before. */
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

/** Every seat of the floating license is taken; the client asks again by itself. */
export interface Waiting extends Common {
  readonly status: 'waiting';
  readonly mayRun: false;
  readonly for: 'seat';
}

/** The machine has no slot any more: somebody freed it. `activate()` takes one again, if one is free. */
export interface Released extends Common {
  readonly status: 'released';
  readonly mayRun: false;
}

/** The server said no. */
export interface RefusedState extends Common {
  readonly status: 'refused';
  readonly mayRun: false;
  readonly why: RefusalCode;
  readonly since: string;
}

/** The state of the license on this machine. */
export type LicenseState = Unlicensed | Licensed | Grace | Lapsed | Waiting | Released | RefusedState;

/** What a listener of `on` is told. */
export interface Events {
  /** Every change of the state. */
  readonly state: { readonly old: LicenseState; readonly new: LicenseState };
  /** The seat of a floating license was lost while the app was running: offer to save, do not close. */
  readonly 'seat-lost': { readonly state: LicenseState };
  readonly 'seat-regained': { readonly state: LicenseState };
  readonly 'grace-started': { readonly until: string; readonly problem: Problem };
  /** Told once when 72, 24 and 1 hours are left. */
  readonly 'grace-ending': { readonly until: string; readonly hoursLeft: number };
  /** The license now expires later than before. */
  readonly renewed: { readonly licenseExpiresAt: string | null };
  /** What is to be kept cannot be read or written; the app goes on without. */
  readonly 'storage-problem': { readonly detail: string };
}
