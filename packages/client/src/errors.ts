/** The errors of calls by the app. Background checks do not throw; they change the state. */
import type { Refusal, RefusalCode } from './refusals.ts';
import type { Problem } from './state.ts';

/** The service refused the call. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: RefusalCode;
  /** The limit of machines or users; with `machine_limit` and `user_limit`, if the server sends it. */
  readonly limit: number | undefined;
  /** Milliseconds to wait before the next attempt; with `activation_rate`. */
  readonly retryAfterMs: number | undefined;
  /** When the next period of the meter begins, ISO 8601; with `meter_limit`, if one does. */
  readonly resetsAt: string | undefined;

  constructor({ code, text, limit, retryAfterMs, fields }: Refusal) {
    super(text);
    this.code = code;
    this.limit = limit;
    this.retryAfterMs = retryAfterMs;
    this.resetsAt = code === 'meter_limit' && typeof fields.resetsAt === 'string' ? fields.resetsAt : undefined;
  }
}

/** The service did not answer. Nothing has changed. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}
