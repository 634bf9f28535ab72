/** A call on its way to its action. It crosses threads, so it is plain data. */
import type { Credential } from '../../platform/endpoint/caller.ts';
import type { RequestContext } from '../../platform/endpoint/endpoint.ts';
import type { FieldsRead } from '../../platform/endpoint/fields.ts';
import type { Outcome } from '../../platform/endpoint/outcome.ts';

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

/** Accepts calls and answers each exactly once. */
export interface Dispatcher {
  dispatch(call: Call, answer: (outcome: Outcome) => void): void;
  /** Resolves when every accepted call has been answered and everything is on disk. */
  close(): Promise<void>;
}
