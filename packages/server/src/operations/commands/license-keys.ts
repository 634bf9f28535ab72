/** The keys that sign license files, for commands beside the service. */
import { systemClock } from '../../ground/base/clock.ts';
import { SigningKeys } from '../../licensing/license-files/signing-keys.ts';
import type { Config } from '../../runtime/config/config.ts';
import { readSigningKeyFile } from '../../runtime/config/signing-key-file.ts';
import type { Storage } from '../../storage/contract/storage.ts';

/** Returns the signing keys of the service with this configuration; makes them if it has never run. */
export async function openSigningKeys(config: Config, storage: Storage): Promise<SigningKeys> {
  const keys = new SigningKeys(readSigningKeyFile(config).signingKeys);
  await keys.open(storage, systemClock);
  return keys;
}
