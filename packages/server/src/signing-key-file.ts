/** The operator's own file of keys that sign license files (LATCHKEY_SIGNING_KEY_FILE). */
import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from './config.ts';
import { accessWarnings } from './data-directory.ts';
import { SigningKeyError, signingKeysIn } from './license-files/signing-key.ts';

/** What is in the file, and what the operator should know of it. */
export interface SigningKeyFile {
  /** PEM; null where no file is named: the keys of the database sign. Secret. */
  readonly signingKeys: string | null;
  readonly warnings: readonly string[];
}

/** Reads the file that the configuration names, if it names one. @throws ConfigError when no key can be used */
export function readSigningKeyFile({ signingKeyFile }: Pick<Config, 'signingKeyFile'>): SigningKeyFile {
  if (signingKeyFile === null) return { signingKeys: null, warnings: [] };
  try {
    const signingKeys = readFileSync(signingKeyFile, 'utf8');
    signingKeysIn(signingKeys);
    return { signingKeys, warnings: accessWarnings(signingKeyFile) };
  } catch (error) {
    // What else fails says the path and the reason and nothing of what is in the file.
    const why = error instanceof SigningKeyError ? error.message : `cannot be read (${String(error)})`;
    throw new ConfigError([`LATCHKEY_SIGNING_KEY_FILE names ${signingKeyFile}, which ${why}`]);
  }
}
