/**
 * The limit on the sign-ins of one key to the console (rules 5.4). Otherwise any key, even a read-only one, could fill
 * the database with sessions.
 */
import { HOUR_MS } from '../../ground/base/clock.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { RateLimit } from '../../platform/rates/rates.ts';
import { ADMIN_SOURCE, type ConsoleSession } from './session.ts';

/** Sign-ins per operator key or API key and hour, across all nodes. The admin secret has no limit. */
export const SIGN_INS_PER_HOUR = 30;

/** The limits on a sign-in that begins a session; none with the admin secret. */
export function limitsOfSignIn({ source }: ConsoleSession): readonly RateLimit[] {
  if (source === ADMIN_SOURCE) return [];
  return [{ subject: `sign-ins of ${source}`, max: SIGN_INS_PER_HOUR, windowMs: HOUR_MS }];
}

/** Refuses a sign-in beyond the limit. @param retryAfterSeconds null within it */
export function refusalForSignIn(retryAfterSeconds: number | null): Refusal<'sign_in_rate'> | null {
  return retryAfterSeconds === null ? null : refuse('sign_in_rate', { retryAfterSeconds });
}
