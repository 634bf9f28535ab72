/** The activation limit when all machines of a license have to activate again at once. */

import { liftActivationLimits } from '../licenses/activation-limit.ts';
import { ATTEMPTS_PER_HOUR } from '../licenses/activation-rate.ts';
import { listMachineCountsAfter } from '../licenses/machine-count-store.ts';
import type { Storage } from '../storage/storage.ts';
import { originOf } from './command.ts';

/** Licenses read at a time: no more are in memory, however many there are. */
const PAGE = 1000;

/**
 * Walks all licenses, prints those whose machines cannot all activate within an hour, and forgets the activation attempts
 * of these where it is told to.
 *
 * @param name the command that does it, for the events
 * @returns how many there are
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
      const origin = originOf(name);
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
