/** Refusals of sign-ins with an account of the provider. The entrance of the console says them in words of its own. */
import { type CodesOf, innerRefusals } from '../../platform/endpoint/refusals.ts';

export const providerRefusals = innerRefusals({
  /** No attempt of this browser, or one that is over or used. */
  attempt_not_known: { status: 403, text: 'No open attempt to sign in' },
  /** `retryAfterSeconds`. */
  attempt_rate: { status: 429, text: 'Too many attempts to sign in came from this network' },
  /** The provider says that the person did not sign in there. */
  provider_declined: { status: 403, text: 'The provider declined the sign-in' },
  /** Not reachable, too slow, or with an answer beyond the bounds. */
  provider_away: { status: 503, text: 'The provider does not answer' },
  /** An answer that proves nothing: another issuer or nonce, a wrong signature, an end that has passed. */
  provider_not_believed: { status: 403, text: 'The answer of the provider is not valid' },
  /** No grant fits the person. */
  person_not_mapped: { status: 403, text: 'No role for this person' },
  /** A grant would fit if the address were verified. */
  person_not_verified: { status: 403, text: 'The address of this person is not verified' },
  /** The service itself could not do it, for a reason that the log has. */
  sign_in_failed: { status: 503, text: 'The sign-in could not be finished' },
  /** `retryAfterSeconds`. */
  person_rate: { status: 429, text: 'Too many sign-ins of this person' },
});

declare module '../../platform/endpoint/refusals.ts' {
  interface InnerRefusals extends CodesOf<typeof providerRefusals> {}
}

/** The refusals that the entrance shows, by the code in its address: a title and an advice. */
export const ENTRANCE_WORDS = {
  attempt_not_known: [
    'This sign-in is over.',
    'It works once, within ten minutes, in the browser that began it. Start again.',
  ],
  attempt_rate: ['Too many sign-ins came from your network.', 'Wait a while, then start again.'],
  provider_declined: ['Your organization did not sign you in.', 'Start again, or use another way in.'],
  provider_away: [
    'The sign-in of your organization does not answer.',
    'Try again in a minute, or use another way in. The log of the service has the reason.',
  ],
  provider_not_believed: [
    'The answer of your organization is not valid.',
    'Start again. If this stays so, the log of the service has the reason.',
  ],
  person_not_mapped: [
    'Your account has no role here.',
    'Ask an owner of this console: LATCHKEY_OIDC_ROLES gives the roles, and Activity shows this attempt.',
  ],
  person_not_verified: [
    'Your e-mail address is not verified.',
    'Verify it where you sign in for your organization, then start again.',
  ],
  sign_in_failed: ['The service could not sign you in.', 'Try again in a minute.'],
  person_rate: ['You signed in 30 times within an hour.', 'Wait a while, then start again.'],
} as const satisfies Readonly<Record<keyof typeof providerRefusals, readonly [string, string]>>;
