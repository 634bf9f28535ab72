/** Machine counts of licenses: the load on the activation limit when all machines return at once. */
import { type Sql, statement } from '../../storage/contract/storage.ts';

const listMachineCounts = statement(
  'license.list_machine_counts',
  `select l.license_key as "licenseKey", l.product_id as "productId", l.machines_used as "machinesUsed"
   from license l where l.license_key > $1 order by l.license_key limit $2`,
);

/** A license and the number of machines bound to it. */
export interface MachineCount {
  readonly licenseKey: string;
  readonly productId: string;
  readonly machinesUsed: number;
}

/** At most `most` licenses in key order, after the given key; '' is before all keys. */
export function listMachineCountsAfter(sql: Sql, licenseKey: string, most: number): Promise<MachineCount[]> {
  return sql.all<MachineCount>(listMachineCounts, licenseKey, most);
}
