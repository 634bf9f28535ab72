/** Sign-in links to the console, made beside the service by a process that has its configuration (rules 5.4). */

import { deriveBindingKeys } from '../../access/console/binding.ts';
import { linkOfCode, makeSignInCode } from '../../access/console/sign-in-code.ts';
import { systemClock } from '../../ground/base/clock.ts';
import type { Storage } from '../../storage/contract/storage.ts';
import type { Config } from '../config/config.ts';
import { findAdminSecret } from '../config/secrets.ts';
import { clientUrlOf } from './greeting.ts';

/**
 * Makes a link that signs in the owner once, within five minutes.
 *
 * @param storage of the service's database
 * @param port the port of the service
 * @throws an error for the operator if there is no console, or if the admin secret of the service is unknown here
 */
export async function makeSignInLink(storage: Storage, config: Config, port: number): Promise<string> {
  if (config.console === null) throw new Error('The console is switched off (LATCHKEY_CONSOLE).');
  const secret = findAdminSecret(config);
  if (secret === null)
    throw new Error(
      `The admin secret of the service is unknown: LATCHKEY_ADMIN_SECRET is not set, and ${config.dataDirectory} has none.`,
    );
  const code = await storage.transaction((tx) => makeSignInCode(tx, systemClock(), deriveBindingKeys([secret])));
  return linkOfCode(clientUrlOf(config, port), code);
}
