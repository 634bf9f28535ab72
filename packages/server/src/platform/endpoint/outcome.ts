/** The outcome of a call. It crosses threads, so it is plain data. */
import type { CallerNames } from './caller.ts';
import { type Refusal, type RefusalCode, statusOf, textOf } from './refusals.ts';

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
