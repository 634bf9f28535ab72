/** The error of a failed call: a refusal by the service, or no answer. */
import type { RefusalCode } from './contract.ts';

/** A code of the service, or `unreachable`: there was no answer, so nobody knows whether anything was changed. */
export type FailureCode = RefusalCode | 'unreachable';

/** Thrown by every call that does not succeed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: FailureCode;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** Whole seconds to wait before the next attempt; null if the service names none. */
  readonly retryAfterSeconds: number | null;
  /** The ID of the request in the service's log; null without an answer. */
  readonly requestId: string | null;

  constructor(
    code: FailureCode,
    text: string,
    more: {
      readonly status?: number;
      readonly retryAfterSeconds?: number | null;
      readonly requestId?: string | null;
    } = {},
  ) {
    super(text);
    this.code = code;
    this.status = more.status ?? 0;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
    this.requestId = more.requestId ?? null;
  }

  /** Whether the same call may soon succeed without any change by a person. */
  get passes(): boolean {
    return this.status === 429 || this.status === 503 || this.code === 'unreachable';
  }
}

/** Converts any error into a refusal, so that displays handle only one kind. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal('unexpected', error instanceof Error ? error.message : String(error), { status: 500 });
}
