/** SQL that keeps the marks of licenses, which only help lists. */
import { countDue, dueRows } from '../../platform/jobs/due-store.ts';
import type { Tx } from '../../storage/contract/storage.ts';

const dueMarks = (name: string, from: string, to: string, comparison: '<=' | '>') =>
  dueRows(name, {
    table: 'license',
    key: ['license_key'],
    isDue: (moment) => `d.status_mark = '${from}' and d.ends_at is not null and d.ends_at ${comparison} ${moment}`,
    order: 'd.ends_at',
    write: `update license set status_mark = '${to}'`,
  });
const lapsed = dueMarks('license.mark_lapsed', 'active', 'expired', '<=');
const notLapsed = dueMarks('license.mark_unlapsed', 'expired', 'active', '>');

/** Marks licenses that lapsed before a moment; returns their number. */
export function markLapsedLicenses(tx: Tx, before: string, most: number): Promise<number> {
  return countDue(tx, lapsed, before, most);
}

/** Removes the mark from licenses that lapse after a moment: a clock that was ahead set it. Returns their number. */
export function markUnlapsedLicenses(tx: Tx, after: string, most: number): Promise<number> {
  return countDue(tx, notLapsed, after, most);
}
