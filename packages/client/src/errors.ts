/** What the calls of the app throw. Background checks throw nothing: they change the state. */
import type { Refusal, RefusalCode } from './refusals.ts';
import type { Problem } from './state.ts';

/** The service said no. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: RefusalCode;
  /** How many machines the license allows; with `machine_limit`. */
  readonly limit: number | undefined;
  /** Milliseconds until it makes sense to try again; with `activation_rate`. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, text, limit, retryAfterMs }: Refusal) {
    super(text);
    this.code = code;
    this.limit = limit;
    this.retryAfterMs = retryAfterMs;
  }
}

/** There was no answer of the service: nothing is known, and nothing has changed. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}
