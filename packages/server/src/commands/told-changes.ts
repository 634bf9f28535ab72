/** Prints what has changed: for the commands that tell of it. */
import { type ChangeKind, jsonOf, summaryOf, type ToldChange, textOf } from '../recovery/change.ts';

/** Prints each change as a line, as it is found; as text, with their numbers at the end, or as JSON. */
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
