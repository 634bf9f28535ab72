/** Prints changes, for the commands that report them. */
import { type ChangeKind, type ReportedChange, summaryOf, textOf } from '../recovery/change.ts';

/** Prints each change on a line as soon as it is found; as text, followed by the numbers of changes, or as JSON. */
export async function printChanges(
  changes: AsyncIterable<ReportedChange>,
  { isJson, print }: { readonly isJson: boolean; readonly print: (line: string) => void },
): Promise<void> {
  const counts = new Map<ChangeKind, number>();
  for await (const reported of changes) {
    counts.set(reported.change, (counts.get(reported.change) ?? 0) + 1);
    print(isJson ? JSON.stringify(reported) : textOf(reported));
  }
  if (!isJson) print(summaryOf(counts));
}
