/** How many machines licenses have: what the activation limit stands in the way of when all of them come back. */
import { type Sql, statement } from '../storage/storage.ts';

const listMachineCounts = statement(
  'license.list_machine_counts',
  `select l.license_key as "licenseKey", l.product_id as "productId", l.machines_used as "machinesUsed"
   from license l where l.license_key > $1 order by l.license_key limit $2`,
);
/** A license and how many machines are bound to it. */
export interface MachineCount {
  readonly licenseKey: string;
  readonly productId: string;
  readonly machinesUsed: number;
}

/** So many licenses in the order of their keys, those after a key; '' is before all keys. */
export function listMachineCountsAfter(sql: Sql, licenseKey: string, most: number): Promise<MachineCount[]> {
  return sql.all<MachineCount>(listMachineCounts, licenseKey, most);
}
