/** The files that a configuration names, as they are on the disk. */
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import type { Config } from './config.ts';
import type { Variable } from './variables.ts';

/**
 * Returns the errors of the files that a configuration names: each must be a readable file. Their contents are not
 * checked.
 */
export function checkFiles(config: Config): string[] {
  const named: [Variable, string | undefined | null][] = [
    ['LATCHKEY_TLS_CERT_FILE', config.tlsFiles?.certificateFile],
    ['LATCHKEY_TLS_KEY_FILE', config.tlsFiles?.keyFile],
    ['LATCHKEY_GEOIP_FILE', config.geoipFile],
    ['LATCHKEY_SIGNING_KEY_FILE', config.signingKeyFile],
    ['LATCHKEY_DELIVERY_CA_FILE', config.deliveries.caFile],
    ['LATCHKEY_SMTP_CA_FILE', config.mail?.caFile],
    ['LATCHKEY_OIDC_CA_FILE', config.oidc?.caFile],
  ];
  const errors: string[] = [];
  for (const [name, file] of named) {
    if (!file) continue;
    const stats = statsOf(file);
    if (stats === undefined) errors.push(`${name} names ${file}, which does not exist`);
    else if (typeof stats === 'string')
      errors.push(`${name} names ${file}, which this user may not look at (${stats}): let it enter the folders above`);
    else if (stats.isDirectory()) errors.push(`${name} names ${file}, which is a directory; it must be a file`);
    else if (!isReadable(file)) errors.push(`${name} names ${file}, which this user may not read`);
  }
  const { dataDirectory } = config;
  const stats = statsOf(dataDirectory);
  if (typeof stats === 'string')
    errors.push(`LATCHKEY_DATA_DIR names ${dataDirectory}, which cannot be used (${stats})`);
  else if (stats?.isDirectory() === false)
    errors.push(`LATCHKEY_DATA_DIR names ${dataDirectory}, which is not a directory`);
  return errors;
}

/** Returns the stats of a file, undefined if it does not exist, or the error code if it may not be examined. */
function statsOf(file: string): Stats | string | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
