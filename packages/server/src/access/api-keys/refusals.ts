/** Refusals about API keys. */
import { type CodesOf, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const apiKeyRefusals = refusals('API keys', {
  api_key_not_found: refusal(404, 'API key not found', {
    means: 'This API key does not exist.',
    remedy: 'Check whether it was shortened; /listApiKeys lists all keys.',
    console: ['There is no such key.', 'It may have been revoked already.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof apiKeyRefusals> {}
}
