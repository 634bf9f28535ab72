/** Tries the identity provider of the configuration. */
import { addressesOf, faultOfProvider } from '../../access/oidc/provider.ts';
import type { Config } from '../../runtime/config/config.ts';
import { providerSettings } from '../../runtime/service/provider-settings.ts';

/** Reads the description of the provider; a start does not need it. */
export async function checkIdentityProvider({
  oidc,
}: Config): Promise<{ readonly facts: readonly string[]; readonly warnings: readonly string[] }> {
  const settings = providerSettings(oidc, []);
  if (settings === null) return { facts: [], warnings: [] };
  const fault = await faultOfProvider(settings);
  if (fault !== null) return { facts: [], warnings: [`LATCHKEY_OIDC_ISSUER: ${fault}`] };
  const { afterSignIn, afterSignOut } = addressesOf(settings);
  return {
    facts: [
      `People sign in to the console at ${settings.issuer}, which answers.`,
      `It must allow ${afterSignIn} after a sign-in, and ${afterSignOut} after a sign-out.`,
    ],
    warnings: [],
  };
}
