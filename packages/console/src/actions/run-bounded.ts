/**
 * Runs a task for each item in order, with a bounded number of tasks at once.
 *
 * @param isStopped asked before each task; the items after it stays true are left
 */
export async function runBounded<Item>(
  atOnce: number,
  items: readonly Item[],
  task: (item: Item) => Promise<void>,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    while (!isStopped()) {
      const { value, done } = waiting.next();
      if (done === true) return;
      await task(value);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
