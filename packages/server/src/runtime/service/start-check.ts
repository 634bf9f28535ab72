/**
 * Finds the errors and warnings of a start beforehand: it makes and changes nothing, and neither connects nor listens.
 */

import { databaseWarnings } from '../../storage/opening/open.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { checkSecrets } from '../config/secrets.ts';
import { readSigningKeyFile } from '../config/signing-key-file.ts';
import { checkCertificate } from '../http/certificate.ts';
import { openCountries } from '../http/countries.ts';

/**
 * Reads the files and values that the configuration names, by the rules of server.ts: the data directory, the secrets,
 * certificate and key, the country database, and the URL of PostgreSQL.
 *
 * @param now milliseconds since 1970
 * @returns the warnings of a start, in sentences without secrets
 * @throws ConfigError naming every error that would end a start
 */
export async function checkStart(config: Config, now: number): Promise<{ readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const errors: string[] = [];
  const looks: readonly (() => readonly string[] | Promise<readonly string[]>)[] = [
    () => checkSecrets(config),
    () => (config.trustedProxies === null ? checkCertificate(config, now) : []),
    () => openCountries(config).then(() => []),
    () => readSigningKeyFile(config).warnings,
    () => databaseWarnings(config.database),
  ];
  for (const look of looks) {
    try {
      warnings.push(...(await look()));
    } catch (error) {
      if (error instanceof ConfigError) errors.push(...error.errors);
      else errors.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (errors.length > 0) throw new ConfigError(errors);
  return { warnings };
}
