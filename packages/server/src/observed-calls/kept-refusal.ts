/** A refusal that is kept for a while, so that support can tell a customer what happened (rules 10.8). */
import type { PublishedCode } from '../refusals.ts';
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

/** Rows that one license has at most; the oldest go first. */
export const MOST_REFUSALS_OF_LICENSE = 50;

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
  details: jsonColumn('details'),
  requestId: textColumn('request_id'),
};
