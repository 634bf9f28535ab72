/** The result of a pasted list in words. Pure. */
import type { FindLicensesReply } from '../api/contract.ts';
import { counted, countText } from '../parts/count-words.ts';

/** The lines of a list in numbers and words. */
export interface PastedCounts {
  readonly sentences: readonly string[];
  /** The lines that name nothing. */
  readonly unknown: readonly string[];
  /** Number of licenses, each counted once. */
  readonly licenses: number;
}

/** Counts the lines. @param sent number of lines, with repeated ones */
export function pastedCounts({ lines }: Pick<FindLicensesReply, 'lines'>, sent: number): PastedCounts {
  const unknown = lines.filter(({ licenses }) => licenses.length === 0).map(({ name }) => name);
  const found = lines.length - unknown.length;
  const several = lines.filter(({ licenses }) => licenses.length > 1).length;
  const cut = lines.filter(({ isMore }) => isMore === true).length;
  const repeated = sent - lines.length;
  const sentences = [
    `${counted(found, 'line')} found.`,
    ...(unknown.length === 0 ? [] : [`${countText(unknown.length)} unknown.`]),
    ...(repeated === 0 ? [] : [`${countText(repeated)} repeated, which count once.`]),
    ...(several === 0
      ? []
      : [`${countText(several)} ${several === 1 ? 'has' : 'have'} several licenses, all of which are selected.`]),
    ...(cut === 0
      ? []
      : [`${countText(cut)} ${cut === 1 ? 'has' : 'have'} more than 20, of which the newest 20 are selected.`]),
  ];
  const licenses = new Set(lines.flatMap((line) => line.licenses.map(({ key }) => key))).size;
  return { sentences, unknown, licenses };
}
