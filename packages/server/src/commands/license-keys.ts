/** The keys that sign license files, for commands beside the service. */
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { SigningKeys } from '../license-files/signing-keys.ts';
import { readSigningKeyFile } from '../signing-key-file.ts';
import type { Storage } from '../storage/storage.ts';

/** Returns the signing keys of the service with this configuration; makes them if it has never run. */
export async function openSigningKeys(config: Config, storage: Storage): Promise<SigningKeys> {
  const keys = new SigningKeys(readSigningKeyFile(config).signingKeys);
  await keys.open(storage, systemClock);
  return keys;
}
