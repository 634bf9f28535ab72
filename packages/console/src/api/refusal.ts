/** What a call came to when it did not succeed: a refusal of the service, or no answer at all. */
import type { RefusalCode } from './contract.ts';

/** A code of the service, or `unreachable`: nothing was answered, so it is not known whether anything was changed. */
export type FailureCode = RefusalCode | 'unreachable';

/** Thrown by every call that was not answered with success. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: FailureCode;
  /** The status of HTTP; 0 where nothing was answered. */
  readonly status: number;
  /** Whole seconds until it makes sense to try again; null where the service names none. */
  readonly retryAfterSeconds: number | null;
  /** The number of the request in the service's log; null where none was answered. */
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

  /** Whether the same call may succeed in a moment without anybody changing anything. */
  get passes(): boolean {
    return this.status === 429 || this.status === 503 || this.code === 'unreachable';
  }
}

/** Any error as a refusal, so that whoever shows one needs to know only one kind. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal('unexpected', error instanceof Error ? error.message : String(error), { status: 500 });
}
