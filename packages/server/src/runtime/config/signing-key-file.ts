/** The operator's own file of keys that sign license files (LATCHKEY_SIGNING_KEY_FILE). */
import { readFileSync } from 'node:fs';
import { SigningKeyError, signingKeysIn } from '../../licensing/license-files/signing-key.ts';
import { type Config, ConfigError } from './config.ts';
import { accessWarnings } from './data-directory.ts';

/** The keys of the file, and warnings about it for the operator. */
export interface SigningKeyFile {
  /** PEM; null where no file is named: the keys of the database sign. Secret. */
  readonly signingKeys: string | null;
  readonly warnings: readonly string[];
}

/** Reads the configured key file, if there is one. @throws ConfigError when it has no usable key */
export function readSigningKeyFile({ signingKeyFile }: Pick<Config, 'signingKeyFile'>): SigningKeyFile {
  if (signingKeyFile === null) return { signingKeys: null, warnings: [] };
  try {
    const signingKeys = readFileSync(signingKeyFile, 'utf8');
    signingKeysIn(signingKeys);
    return { signingKeys, warnings: accessWarnings(signingKeyFile) };
  } catch (error) {
    // Other errors contain the path and the reason, and nothing from inside the file.
    const why = error instanceof SigningKeyError ? error.message : `cannot be read (${String(error)})`;
    throw new ConfigError([`LATCHKEY_SIGNING_KEY_FILE names ${signingKeyFile}, which ${why}`]);
  }
}
