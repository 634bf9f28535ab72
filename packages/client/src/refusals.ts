/**
 * Recognises refusals. The header `Latchkey-Code` names a refusal, and then its text may be any. Without the header,
 * as from another server with the same protocol, the status and the text must be those of a refusal that the service
 * gives at this endpoint. Any other answer counts as an outage, and an outage stops nobody.
 */
import type { TransportReply } from './transport.ts';

/** The endpoints that an app calls. */
export type ClientEndpoint =
  | '/activate'
  | '/validate'
  | '/verify'
  | '/heartbeat'
  | '/deactivate'
  | '/issueLicenseFile'
  | '/startTrial'
  | '/consume';

/** The codes of refusals that an app can meet, as in the header `Latchkey-Code`. */
export type RefusalCode =
  | 'license_not_found'
  | 'license_replaced'
  | 'license_revoked'
  | 'license_expired'
  | 'wrong_product'
  | 'machine_limit'
  | 'user_required'
  | 'user_limit'
  | 'machine_not_activated'
  | 'activation_rate'
  | 'invalid_token'
  | 'token_mismatch'
  | 'license_files_not_offered'
  | 'update_not_covered'
  | 'trial_not_offered'
  | 'trial_over'
  | 'trial_rate'
  | 'product_not_found'
  | 'variant_not_found'
  | 'product_archived'
  | 'meter_limit'
  | 'meter_not_found'
  | 'request_id_reused'
  | 'missing_fields'
  | 'invalid_field';

/** A refusal by the service. */
export interface Refusal {
  readonly code: RefusalCode;
  /** The text of the service. */
  readonly text: string;
  /** The limit of machines or users; only with `machine_limit` and `user_limit`, and only if the text contains it. */
  readonly limit?: number;
  /** Milliseconds to wait before the next attempt, at most an hour; only for refusals that end by waiting. */
  readonly retryAfterMs?: number;
  /** The other fields of the answer. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The status and text that identify a refusal without the header. */
interface Form {
  readonly statuses: readonly number[];
  /** Null if the text does not distinguish this refusal from another program's. */
  readonly text: RegExp | null;
}

const FORMS: Readonly<Record<RefusalCode, Form>> = {
  license_not_found: { statuses: [404], text: /^License not found$/ },
  license_replaced: { statuses: [403], text: /^License was replaced by another key$/ },
  license_revoked: { statuses: [403], text: /^License has been revoked$/ },
  license_expired: { statuses: [403], text: /^License has expired$/ },
  wrong_product: { statuses: [403], text: /^License is for a different product$/ },
  machine_limit: {
    statuses: [403],
    text: /^Machine limit reached \((\d{1,9})\)\. Deactivate another machine first\.$/,
  },
  user_required: { statuses: [400], text: /^User required$/ },
  user_limit: { statuses: [403], text: /^User limit reached \((\d{1,9})\)$/ },
  machine_not_activated: { statuses: [403, 404], text: /^Machine not activated$/ },
  activation_rate: { statuses: [429], text: /^Too many activation attempts\. Try again later\.$/ },
  invalid_token: { statuses: [401], text: /^Invalid (?:or expired )?token$/ },
  token_mismatch: { statuses: [401], text: /^Token mismatch$/ },
  license_files_not_offered: { statuses: [403], text: /^License files are not offered for this license$/ },
  update_not_covered: { statuses: [403], text: /^License does not cover this version$/ },
  trial_not_offered: { statuses: [403], text: /^This product offers no trial$/ },
  trial_over: { statuses: [403], text: /^Trial has ended$/ },
  trial_rate: { statuses: [429], text: /^Too many trials (?:from your network|of this product)\. Try again later\.$/ },
  product_not_found: { statuses: [404], text: /^Product not found$/ },
  variant_not_found: { statuses: [404], text: /^Variant not found$/ },
  product_archived: { statuses: [409], text: /^Product is archived$/ },
  meter_limit: { statuses: [403], text: /^Usage limit reached$/ },
  meter_not_found: { statuses: [404], text: /^Meter not found$/ },
  request_id_reused: { statuses: [422], text: /^requestId was used for other units$/ },
  missing_fields: { statuses: [400], text: /^Missing [\w ,()]+$/ },
  invalid_field: { statuses: [400], text: null },
};

/** Refusals that end by waiting. */
const WAITING: ReadonlySet<RefusalCode> = new Set(['activation_rate', 'trial_rate']);

const OF_SESSIONS: readonly RefusalCode[] = [
  'license_not_found',
  'license_replaced',
  'license_revoked',
  'license_expired',
  'machine_not_activated',
  'invalid_token',
  'token_mismatch',
];

/** The refusals of each endpoint. */
const OF_ENDPOINT: Readonly<Record<ClientEndpoint, readonly RefusalCode[]>> = {
  '/activate': [
    'license_not_found',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'wrong_product',
    'update_not_covered',
    'user_required',
    'user_limit',
    'machine_limit',
    'activation_rate',
  ],
  '/startTrial': [
    'product_not_found',
    'variant_not_found',
    'product_archived',
    'trial_not_offered',
    'trial_rate',
    'trial_over',
    'license_replaced',
    'license_revoked',
    'update_not_covered',
    'user_required',
    'user_limit',
    'machine_limit',
    'activation_rate',
  ],
  '/consume': [...OF_SESSIONS, 'meter_limit', 'meter_not_found', 'request_id_reused'],
  '/validate': [...OF_SESSIONS, 'update_not_covered'],
  '/heartbeat': OF_SESSIONS,
  '/deactivate': OF_SESSIONS,
  '/issueLicenseFile': [...OF_SESSIONS, 'license_files_not_offered'],
  '/verify': [
    'license_not_found',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'wrong_product',
    'update_not_covered',
  ],
};

/** The field by which an endpoint reports success. */
export function flagOf(endpoint: ClientEndpoint): 'success' | 'valid' {
  return endpoint === '/validate' || endpoint === '/verify' ? 'valid' : 'success';
}

/**
 * The refusal in an answer; null if it is not a refusal that this client knows.
 *
 * @param body the parsed JSON of the answer
 */
export function refusalIn(endpoint: ClientEndpoint, answer: TransportReply, body: unknown): Refusal | null {
  if (typeof body !== 'object' || body === null) return null;
  const { [flagOf(endpoint)]: flag, error, ...fields } = body as Readonly<Record<string, unknown>>;
  if (flag !== false || answer.status < 400 || answer.status > 499) return null;
  const text = typeof error === 'string' ? error : '';
  const code = codeIn(endpoint, answer, text);
  if (code === null) return null;
  const limit = code.endsWith('_limit') && FORMS[code].text?.exec(text)?.[1];
  return {
    code,
    text,
    fields,
    ...(limit ? { limit: Number(limit) } : {}),
    ...(WAITING.has(code) ? { retryAfterMs: retryAfterMsOf(answer) ?? 60_000 } : {}),
  };
}

function codeIn(endpoint: ClientEndpoint, { status, headers }: TransportReply, error: string): RefusalCode | null {
  const named = headers['latchkey-code'];
  if (named !== undefined) return Object.hasOwn(FORMS, named) ? (named as RefusalCode) : null;
  for (const code of [...OF_ENDPOINT[endpoint], 'missing_fields'] as const) {
    const { statuses, text } = FORMS[code];
    if (statuses.includes(status) && text?.test(error)) return code;
  }
  return null;
}

const HOUR_MS = 3_600_000;

/**
 * The value of `Retry-After` in milliseconds, at most an hour, so that a broken answer cannot silence an app for good.
 */
export function retryAfterMsOf({ headers }: TransportReply): number | null {
  const text = headers['retry-after'] ?? '';
  return /^\d+$/.test(text) ? Math.min(+text * 1000, HOUR_MS) : null;
}
