/** Signing in to the console with an account of an identity provider (OpenID Connect). */
import type { Slice } from '../../platform/slice/slice.ts';
import { enterPerson, refusePerson, takeAttempt } from './calls.ts';
import { ENTRANCE_WORDS, providerRefusals } from './refusals.ts';
import { signInSite } from './site.ts';
import { providerTables } from './tables.ts';

export const providerSignIn: Slice = {
  inner: [takeAttempt, enterPerson, refusePerson],
  refusals: [providerRefusals],
  tables: providerTables,
  consoleWords: { 'sign-in-words': ENTRANCE_WORDS },
  sites: (parts) => (parts.ruleContext.settings.console === null ? [] : [signInSite(parts)]),
};
