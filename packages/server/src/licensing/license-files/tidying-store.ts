/** SQL that takes expired license files out of the counts of their licenses. */
import { dueRows, touchDue } from '../../platform/jobs/due-store.ts';
import { statement, type Tx, tableOf } from '../../storage/contract/storage.ts';

const expiredCountedFiles = dueRows('license_file.uncount_old', {
  table: 'license_file',
  key: ['license_key', 'fingerprint', 'purpose'],
  isDue: (moment) => `d.counted = 1 and d.expires_at <= ${moment}`,
  order: 'd.expires_at',
  write: 'update license_file set counted = 0',
});
const lowerFileCounts = statement(
  'license_file_count.lower',
  (dialect) => `update license_file_count set machines = license_file_count.machines - r.machines
    from ${dialect.table('$1', { license_key: 'text', machines: 'integer' })} r
    where license_file_count.license_key = r.license_key`,
);

/** Takes license files that expired before a moment out of the counts of their licenses; returns their number. */
export async function uncountOldLicenseFiles(tx: Tx, before: string, most: number): Promise<number> {
  const licenseKeys = await touchDue(tx, expiredCountedFiles, before, most);
  const counts = new Map<string, number>();
  for (const licenseKey of licenseKeys) counts.set(licenseKey, (counts.get(licenseKey) ?? 0) + 1);
  // In a fixed order, so that two transactions that lower the same counts do not deadlock.
  if (counts.size > 0)
    await tx.run(lowerFileCounts, tableOf([...counts].sort(([one], [other]) => (one < other ? -1 : 1))));
  return licenseKeys.length;
}
