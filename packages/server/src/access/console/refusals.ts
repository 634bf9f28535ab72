/** Refusals about the console: its sessions and the keys of operators. */
import { type CodesOf, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const consoleRefusals = refusals('console', {
  sign_in_rate: refusal(429, 'Too many sign-ins with this key. Try again later.', {
    means: 'The key has begun 30 console sessions within an hour.',
    remedy: 'Wait for `Retry-After`. If a program signs in instead of a person, revoke the key.',
    console: [
      'This key has signed in 30 times within an hour.',
      'Wait a while. If that was not you, ask an owner to revoke the key.',
    ],
  }),
  secret_sign_in_off: refusal(403, 'The admin secret does not sign in to this console', {
    means: '`LATCHKEY_CONSOLE_SECRET_SIGN_IN` is `off`; every other use of the admin secret works.',
    remedy:
      'Sign in with an operator key or an account of the provider; `latchkey sign-in-link` helps in an emergency.',
    console: ['The admin secret does not sign in here.', 'Use a key or your account.'],
  }),
  console_session_not_found: refusal(404, 'Console session not found', {
    means: 'No console session has this id, or the caller may not end it.',
    remedy: 'It has probably ended; /listConsoleSessions lists the live sessions.',
    console: ['There is no such session.', 'It may have ended already.'],
  }),
  operator_key_not_found: refusal(404, 'Operator key not found', {
    means: 'No operator key has this hash.',
    remedy: 'Check whether it was shortened; /listOperatorKeys lists all keys.',
    console: ['There is no such operator key.', 'It may have been revoked already.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof consoleRefusals> {}
}
