/** The selected licenses of a list, which stay selected while other rows are shown. Pure. */
import type { LicenseSummary } from '../api/contract.ts';

/** Selected licenses by key, in the order of their selection. */
export type ChosenRows = ReadonlyMap<string, LicenseSummary>;

/** The selection after a change of the selected keys. @param shown the rows in sight, from which new ones come */
export function chosenAfter(
  chosen: ChosenRows,
  keys: ReadonlySet<string>,
  shown: readonly LicenseSummary[],
): ChosenRows {
  const known = new Map([...chosen, ...shown.map((row) => [row.key, row] as const)]);
  const after = new Map<string, LicenseSummary>();
  for (const key of keys) {
    const row = known.get(key);
    if (row !== undefined) after.set(key, row);
  }
  return after;
}

/** The selected licenses that are out of sight: filtered out, or on another page. */
export function hiddenAmong(chosen: ChosenRows, shown: readonly LicenseSummary[]): readonly string[] {
  const inSight = new Set(shown.map(({ key }) => key));
  return [...chosen.keys()].filter((key) => !inSight.has(key));
}

/** The selected licenses for a dialog, those out of sight first, so that they are named. */
export function listedKeys(chosen: ChosenRows, shown: readonly LicenseSummary[]): readonly string[] {
  return [...new Set([...hiddenAmong(chosen, shown), ...chosen.keys()])];
}
