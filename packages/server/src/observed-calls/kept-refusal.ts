/** A refusal that is kept for a while, so that support can tell a customer what happened (rules 10.8). */
import type { PublishedCode } from '../refusals.ts';
import { fieldsOf, isFiniteNumber, isRecord, isText } from '../storage/stored-json.ts';
import { type Columns, integerColumn, jsonColumn, textColumn } from '../storage/table.ts';
import type { ClientPath } from './metrics.ts';

/** What a refusal was about beside its code, such as the limit. Never a token. */
export type RefusalDetails = Readonly<Record<string, string | number>>;

/** Refusals of one license, code and machine within an hour. What is not said otherwise is that of the last of them. */
export interface KeptRefusal {
  readonly licenseKey: string;
  /** An ordered UUID, by the time of the first. */
  readonly refusalId: string;
  readonly code: PublishedCode;
  readonly endpoint: ClientPath;
  /** As the client says; null at /verify, which asks for no machine. */
  readonly fingerprint: string | null;
  /** As the client says, or as the machine is bound; null where neither is known. */
  readonly hostname: string | null;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly details: RefusalDetails | null;
  readonly requestId: string;
}

/** The codes that refusals are kept with: all that a client endpoint gives to a call for a license that exists. */
export const KEPT_REFUSAL_CODES = [
  'machine_limit',
  'activation_rate',
  'license_expired',
  'license_revoked',
  'wrong_product',
  'machine_not_activated',
  'invalid_token',
  'token_mismatch',
] as const satisfies readonly PublishedCode[];
/** One of {@link KEPT_REFUSAL_CODES}. */
export type KeptRefusalCode = (typeof KEPT_REFUSAL_CODES)[number];

/** Rows that one license has at most; the oldest go first. */
export const MOST_REFUSALS_OF_LICENSE = 50;

/** Whether a text has the form of a refusal's id. */
export function isRefusalId(text: string): boolean {
  return /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/.test(text);
}

function detailsFrom(stored: unknown): RefusalDetails | null {
  return isRecord(stored) ? fieldsOf(stored, (each) => isText(each) || isFiniteNumber(each)) : null;
}

/** The columns of kept refusals. An empty fingerprint stands for none, so that rows can be compared. */
export const keptRefusalColumns: Columns<KeptRefusal> = {
  licenseKey: textColumn('license_key'),
  refusalId: textColumn('refusal_id'),
  code: textColumn('code'),
  endpoint: textColumn('endpoint'),
  fingerprint: {
    name: 'fingerprint',
    type: 'text',
    store: (fingerprint) => fingerprint ?? '',
    restore: (stored) => (stored === '' ? null : (stored as string)),
  },
  hostname: textColumn('hostname'),
  count: integerColumn('count'),
  firstAt: textColumn('first_at'),
  lastAt: textColumn('last_at'),
  details: jsonColumn('details', detailsFrom),
  requestId: textColumn('request_id'),
};
