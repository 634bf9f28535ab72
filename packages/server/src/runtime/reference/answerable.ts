/** The refusals that an endpoint can return: its own, and those that every request can meet. */
import type { Access } from '../../platform/endpoint/caller.ts';
import { hasSafeRetries, isQueuedWork, type Method } from '../../platform/endpoint/endpoint.ts';
import {
  codeOf,
  type PublishedCode,
  type RefusalCode,
  refusalCodes,
  shownText,
  statusOf,
} from '../../platform/endpoint/refusals.ts';
import { neededRole, takesSessions } from '../../platform/endpoint/roles.ts';
import { shownAccess } from './access.ts';
import type { DescribedEndpoint } from './described.ts';

/** A refusal as the reference shows it. */
export interface AnswerableRefusal {
  /** Its name in the service. */
  readonly refused: RefusalCode;
  /** The published code. Two refusals of an endpoint may share it, with different statuses. */
  readonly code: PublishedCode;
  readonly status: number;
  /** The error text, with variables as `{name}`. */
  readonly text: string;
  /** The origin of the refusal; every request can meet those of the `transport`. */
  readonly from: 'transport' | 'request' | 'endpoint';
}

type Condition = (endpoint: DescribedEndpoint, method: Method) => boolean;

const needsCredential: Condition = ({ access }) => shownAccess(access).isRequired;
const looksAtCredential: Condition = ({ access }) => access !== 'client';
const takesBody: Condition = (_, method) => method !== 'GET';
/** True if an `Idempotency-Key` can make a retry safe. */
export function takesIdempotencyKey(endpoint: DescribedEndpoint, method: Method): boolean {
  return method === 'POST' && hasSafeRetries(endpoint);
}

/** Who may be a creator. */
const ACCESS_OF_CREATORS: ReadonlySet<Access> = new Set([
  'admin',
  'adminOrWebhook',
  'webhookOrKey',
  'anyone',
  'console',
]);

const always: Condition = () => true;

/**
 * Conditions of the refusals that occur before an endpoint runs. Refusals declared by an endpoint need no line here.
 * `not_found` has none, because it is returned for paths without an endpoint.
 */
export const IMPLIED: Readonly<Partial<Record<RefusalCode, Condition>>> = {
  unauthorized: needsCredential,
  wrong_secret_rate: looksAtCredential,
  role_not_allowed: (endpoint, method) =>
    method === 'POST' && takesSessions(endpoint) && neededRole(endpoint) !== 'viewer',
  missing_fields: ({ missing }) => missing !== '',
  invalid_field: (endpoint, method) =>
    takesIdempotencyKey(endpoint, method) || Object.keys(endpoint.fields.properties).length > 0,
  quota_used: ({ access, work, endsSession }) =>
    work?.kind === 'write' && endsSession !== true && ACCESS_OF_CREATORS.has(access),
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
  network_busy: ({ work }) => work !== undefined && isQueuedWork({ work }),
  database_away: always,
  overloaded: always,
  unexpected: always,
};

/** The refusals that a method of an endpoint can meet, by status and then in the order of documents. */
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
