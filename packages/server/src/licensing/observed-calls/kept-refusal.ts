/** A refusal that is stored for a while, so that support can explain to a customer what happened (rules 10.8). */
import type { PublishedCode } from '../../platform/endpoint/refusals.ts';
import { fieldsOf, isFiniteNumber, isRecord, isText } from '../../storage/contract/stored-json.ts';
import { type Columns, integerColumn, jsonColumn, textColumn } from '../../storage/contract/table.ts';
import type { ObservedPath } from './metrics.ts';

/** Details of a refusal besides its code, for example the limit. Never a token. */
export type RefusalDetails = Readonly<Record<string, string | number>>;

/**
 * Refusals of one license, code and machine within an hour. The fields describe the last of them unless stated
 * otherwise.
 */
export interface KeptRefusal {
  readonly licenseKey: string;
  /** An ordered UUID, by the time of the first refusal. */
  readonly refusalId: string;
  readonly code: PublishedCode;
  readonly endpoint: ObservedPath;
  /** As the client states; null at /verify, which asks for no machine. */
  readonly fingerprint: string | null;
  /** As the client states, or as the machine is bound; null if neither is known. */
  readonly hostname: string | null;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly details: RefusalDetails | null;
  readonly requestId: string;
}

/** The codes of stored refusals: all that an observed endpoint returns for an existing license. */
export const KEPT_REFUSAL_CODES = [
  'machine_limit',
  'activation_rate',
  'license_expired',
  'license_replaced',
  'license_revoked',
  'wrong_product',
  'machine_not_activated',
  'invalid_token',
  'token_mismatch',
  'update_not_covered',
  'feature_missing',
  'user_required',
  'user_limit',
  'meter_limit',
  'meter_not_found',
  'request_id_reused',
] as const satisfies readonly PublishedCode[];
/** One of {@link KEPT_REFUSAL_CODES}. */
export type KeptRefusalCode = (typeof KEPT_REFUSAL_CODES)[number];

/** Whether a code is among {@link KEPT_REFUSAL_CODES}. */
export function isKeptRefusalCode(code: string): code is KeptRefusalCode {
  return (KEPT_REFUSAL_CODES as readonly string[]).includes(code);
}

/** Maximum number of rows per license; the oldest are deleted first. */
export const MAX_REFUSALS_OF_LICENSE = 50;

/** True if a text has the form of a refusal's id. */
export function isRefusalId(text: string): boolean {
  return /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/.test(text);
}

function detailsFrom(stored: unknown): RefusalDetails | null {
  return isRecord(stored) ? fieldsOf(stored, (each) => isText(each) || isFiniteNumber(each)) : null;
}

/** The columns of stored refusals. An empty fingerprint stands for a missing one, so that rows can be compared. */
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
