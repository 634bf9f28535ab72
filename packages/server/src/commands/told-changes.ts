/** Prints changes, for the commands that report them. */
import { type ChangeKind, jsonOf, summaryOf, type ToldChange, textOf } from '../recovery/change.ts';

/** Prints each change on a line as soon as it is found; as text, followed by the numbers of changes, or as JSON. */
export async function printChanges(
  changes: AsyncIterable<ToldChange>,
  { isJson, print }: { readonly isJson: boolean; readonly print: (line: string) => void },
): Promise<void> {
  const counts = new Map<ChangeKind, number>();
  for await (const told of changes) {
    counts.set(told.change, (counts.get(told.change) ?? 0) + 1);
    print(isJson ? jsonOf(told) : textOf(told));
  }
  if (!isJson) print(summaryOf(counts));
}
