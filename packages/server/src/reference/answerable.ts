/** Which refusals an endpoint can be answered with: its own, and those that every request can meet. */
import { hasSafeRetries, isOtherWork, type Method } from '../endpoint/endpoint.ts';
import { neededRole, takesSessions } from '../endpoint/roles.ts';
import { codeOf, type PublishedCode, type RefusalCode, refusalCodes, statusOf, textPattern } from '../refusals.ts';
import { shownAccess } from './access.ts';
import type { DescribedEndpoint } from './described.ts';

/** A refusal as the reference shows it. */
export interface AnswerableRefusal {
  /** Its name in refusals.ts. */
  readonly refused: RefusalCode;
  /** Its code as clients see it; two refusals of an endpoint may have the same one, with different statuses. */
  readonly code: PublishedCode;
  readonly status: number;
  /** The error text, what varies as `{name}`. */
  readonly text: string;
  /** Where it comes from: every request can meet what comes from the `transport`, whatever it asks. */
  readonly from: 'transport' | 'request' | 'endpoint';
}

type Condition = (endpoint: DescribedEndpoint, method: Method) => boolean;

const needsCredential: Condition = ({ access }) => shownAccess(access).isRequired;
const looksAtCredential: Condition = ({ access }) => access !== 'client';
const takesBody: Condition = (_, method) => method !== 'GET';
/** Whether a retry can be made safe with an `Idempotency-Key`. */
export function takesIdempotencyKey(endpoint: DescribedEndpoint, method: Method): boolean {
  return method === 'POST' && hasSafeRetries(endpoint);
}

const always: Condition = () => true;

/**
 * Where the refusals can be met that come before an endpoint is asked. What an endpoint declares needs no line here;
 * `not_found` has none because it is answered for paths that are no endpoint's.
 */
export const IMPLIED: Readonly<Partial<Record<RefusalCode, Condition>>> = {
  unauthorized: needsCredential,
  wrong_secret_rate: looksAtCredential,
  role_not_allowed: (endpoint, method) =>
    method === 'POST' && takesSessions(endpoint) && neededRole(endpoint) !== 'viewer',
  missing_fields: ({ missing }) => missing !== '',
  invalid_field: (endpoint, method) =>
    takesIdempotencyKey(endpoint, method) || Object.keys(endpoint.fields.properties).length > 0,
  idempotency_key_reused: takesIdempotencyKey,
  idempotent_reply_lost: takesIdempotencyKey,
  malformed_http: always,
  headers_too_large: always,
  request_timeout: always,
  bad_json: takesBody,
  body_not_object: takesBody,
  method_not_allowed: always,
  query_too_large: always,
  body_too_large: always,
  https_required: always,
  forwarded_proto_missing: always,
  forbidden_peer: always,
  network_busy: ({ work }) => work !== undefined && isOtherWork({ work }),
  database_away: always,
  overloaded: always,
  unexpected: always,
};

/** What stands for texts that each request or endpoint has its own of. */
const OWN_TEXTS: Readonly<Partial<Record<RefusalCode, string>>> = {
  missing_fields: 'A required field is absent, null or empty; the text names what is missing',
  invalid_field: 'A field does not fit; the text names it',
};

/** The error text of a refusal as the reference shows it. */
export function shownText(refused: RefusalCode): string {
  return OWN_TEXTS[refused] ?? textPattern(refused);
}

/** The refusals that a method of an endpoint can meet, by status and then in the order of refusals.ts. */
export function answerableBy(endpoint: DescribedEndpoint, method: Method): readonly AnswerableRefusal[] {
  return refusalCodes
    .filter((refused) => endpoint.refusals.includes(refused) || IMPLIED[refused]?.(endpoint, method))
    .map((refused) => ({
      refused,
      code: codeOf(refused),
      status: statusOf(refused),
      text: shownText(refused),
      from: originOf(refused, endpoint),
    }))
    .sort((one, other) => one.status - other.status);
}

function originOf(refused: RefusalCode, { refusals }: DescribedEndpoint): AnswerableRefusal['from'] {
  if (refusals.includes(refused)) return 'endpoint';
  return IMPLIED[refused] === always ? 'transport' : 'request';
}
