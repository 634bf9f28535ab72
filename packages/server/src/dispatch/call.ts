/** A request on its way to its action, and what came of it. Both cross threads, so they are plain data. */
import type { CallerNames, Credential } from '../endpoint/caller.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import type { FieldsRead } from '../endpoint/fields.ts';
import { type Refusal, type RefusalCode, statusOf, textOf } from '../refusals.ts';

/** A request whose transport is dealt with: the fields are read, though perhaps found wanting. */
export interface Call {
  /** The endpoint's path. */
  readonly path: string;
  readonly credential: Credential;
  readonly read: FieldsRead;
  readonly requestContext: RequestContext;
  /** Present when the request carried an Idempotency-Key. */
  readonly idempotency: Idempotency | null;
}

/** The header's value, and a hash of what was asked. */
export interface Idempotency {
  readonly key: string;
  readonly requestHash: string;
}

/** What is answered. */
export interface Outcome {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  readonly retryAfterSeconds?: number;
  /** Why it was refused, for the log. */
  readonly refused?: RefusalCode;
  /** Whether an API key was shown that is none, where the endpoint lets anyone in. */
  readonly showedUnknownKey?: true;
  /** An unexpected failure, with its stack, for the log only. */
  readonly failure?: string;
  /** Who asked, where a credential says so, for the log only. */
  readonly caller?: CallerNames;
  /** Keys of the licenses that were made or changed, {@link MOST_CHANGED_NAMED} at most, for the log only. */
  readonly changedLicenses?: readonly string[];
}

/** So many of the licenses that a call has changed are named. */
export const MOST_CHANGED_NAMED = 10;

/** The outcome of a refusal; `flag` is the field that says so in the body. */
export function outcomeOfRefusal(refusal: Refusal, flag: 'success' | 'valid'): Outcome {
  return {
    status: statusOf(refusal.refused),
    body: JSON.stringify({ [flag]: false, error: textOf(refusal), ...refusal.extra }),
    refused: refusal.refused,
    ...(refusal.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: refusal.retryAfterSeconds }),
  };
}

/** Takes calls and answers each exactly once. */
export interface Dispatcher {
  dispatch(call: Call, answer: (outcome: Outcome) => void): void;
  /** Resolves when every call taken has been answered and everything is on disk. */
  close(): Promise<void>;
}
