/** The activation limit when all machines of a license have to activate again at the same time. */

import { liftActivationLimits } from '../../licensing/licenses/activation-limit.ts';
import { ATTEMPTS_PER_HOUR } from '../../licensing/machines/activation-rate.ts';
import { listMachineCountsAfter } from '../../licensing/machines/machine-count-store.ts';
import type { Storage } from '../../storage/contract/storage.ts';
import { originOf } from './command.ts';

/** Licenses read at a time: bounds the memory for any number of licenses. */
const PAGE = 1000;

/**
 * Goes through all licenses, prints those whose machines cannot all activate within an hour, and on request deletes
 * their activation attempts.
 *
 * @param name the name of the command, for the events
 * @returns the number of these licenses
 */
export async function reportCrowdedLicenses(
  storage: Storage,
  name: string,
  isLifting: boolean,
  print: (line: string) => void,
): Promise<number> {
  let crowdedLicenses = 0;
  for (let last = ''; ; ) {
    const page = await storage.read((sql) => listMachineCountsAfter(sql, last, PAGE));
    const crowded = page.filter(({ machinesUsed }) => machinesUsed > ATTEMPTS_PER_HOUR);
    const licenseKeys = crowded.map(({ licenseKey }) => licenseKey);
    if (isLifting && crowded.length > 0) {
      const origin = await originOf(name, storage);
      await storage.transaction((tx) => liftActivationLimits(tx, origin, licenseKeys));
    }
    for (const { licenseKey, productId, machinesUsed } of crowded)
      print(`${licenseKey}  ${machinesUsed} machines  ${productId}`);
    crowdedLicenses += crowded.length;
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE) return crowdedLicenses;
    last = end.licenseKey;
  }
}
