/** Derives the settings of the identity provider from the configuration. */
import { readFileSync } from 'node:fs';
import { deriveAttemptKeys } from '../../access/oidc/attempt.ts';
import type { ProviderSettings } from '../../access/oidc/settings.ts';
import type { Config } from '../config/config.ts';

/** @param adminSecrets those that are accepted, the present one first */
export function providerSettings(oidc: Config['oidc'], adminSecrets: readonly string[]): ProviderSettings | null {
  if (oidc === null) return null;
  const { caFile, ...settings } = oidc;
  const additionalCa = caFile === null ? null : readFileSync(caFile, 'utf8');
  return { ...settings, additionalCa, attemptKeys: deriveAttemptKeys(adminSecrets) };
}
