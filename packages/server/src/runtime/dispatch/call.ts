/** A call on its way to its action, and its outcome. Both cross threads, so they are plain data. */
import type { CallerNames, Credential } from '../../platform/endpoint/caller.ts';
import type { RequestContext } from '../../platform/endpoint/endpoint.ts';
import type { FieldsRead } from '../../platform/endpoint/fields.ts';
import { type Refusal, type RefusalCode, statusOf, textOf } from '../../platform/endpoint/refusals.ts';

/** A request after transport: its fields have been read, and may have been refused. */
export interface Call {
  /** The endpoint's path. */
  readonly path: string;
  readonly credential: Credential;
  readonly read: FieldsRead;
  readonly requestContext: RequestContext;
  /** Present when the request carried an Idempotency-Key. */
  readonly idempotency: Idempotency | null;
}

/** The header's value, and a hash of the request. */
export interface Idempotency {
  readonly key: string;
  readonly requestHash: string;
}

/**
 * The reply to a call, with facts for the log. Its body is JSON: text where the action runs; UTF-8 once a thread has
 * passed a long one on, because bytes move between threads without a copy.
 */
export interface Outcome<Body = string | Uint8Array> {
  readonly status: number;
  readonly body: Body;
  readonly retryAfterSeconds?: number;
  /** Reason of a refusal, for the log. */
  readonly refused?: RefusalCode;
  /** True if an unknown API key was shown at an endpoint that is open to anyone. */
  readonly showedUnknownKey?: true;
  /** An unexpected failure, with its stack, for the log only. */
  readonly failure?: string;
  /** The caller, if a credential identifies one; for the log only. */
  readonly caller?: CallerNames;
  /** Keys of the licenses created or changed, at most {@link MAX_CHANGED_NAMED}; for the log only. */
  readonly changedLicenses?: readonly string[];
}

/** Maximum number of changed licenses that a log line names. */
export const MAX_CHANGED_NAMED = 10;

/** The outcome of a refusal; `flag` is the name of the body field that is false. */
export function outcomeOfRefusal(refusal: Refusal, flag: 'success' | 'valid'): Outcome<string> {
  return {
    status: statusOf(refusal.refused),
    body: JSON.stringify({ [flag]: false, error: textOf(refusal), ...refusal.extra }),
    refused: refusal.refused,
    ...(refusal.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: refusal.retryAfterSeconds }),
  };
}

/** Accepts calls and answers each exactly once. */
export interface Dispatcher {
  dispatch(call: Call, answer: (outcome: Outcome) => void): void;
  /** Resolves when every accepted call has been answered and everything is on disk. */
  close(): Promise<void>;
}
