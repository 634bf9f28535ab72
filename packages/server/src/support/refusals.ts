/** Refusals of searches. */
import { type CodesOf, refusal, refusals } from '../endpoint/refusals.ts';

export const supportRefusals = refusals('searches', {
  query_is_secret: refusal(
    400,
    'This looks like a credential. Search for what it belongs to; /listApiKeys finds an API key by its hash.',
    {
      means: 'The query looks like a secret, an API key or a session token. It is neither searched for nor stored.',
      remedy: 'Search for its owner. /listApiKeys finds the owner of an API key by the `hash`, its SHA-256.',
      console: ['This looks like a secret.', 'Do not search for secrets. Search for the owner or the license.'],
    },
  ),
});

declare module '../endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof supportRefusals> {}
}
