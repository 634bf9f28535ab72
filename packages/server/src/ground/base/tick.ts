/**
 * Ticks of the event loop: work that arrives in one tick is often better done together, as one commit for all
 * transactions, one message to another thread, one flush of replies to the network. When nothing else is running, the
 * tick ends at once, so a single caller does not wait.
 */

/**
 * Runs `work` once at the end of a tick, however often it was requested in that tick.
 *
 * @returns a function that requests it
 */
export function oncePerTick(work: () => void): () => void {
  let isAskedFor = false;
  const run = () => {
    isAskedFor = false;
    work();
  };
  return () => {
    if (isAskedFor) return;
    isAskedFor = true;
    setImmediate(run);
  };
}

/**
 * Collects the items of one tick and passes them on together at its end.
 *
 * @param pass receives the items in their order; never an empty list
 * @returns a function that adds an item
 */
export function gatherEachTick<Item>(pass: (items: readonly Item[]) => void): (item: Item) => void {
  let collected: Item[] = [];
  const passOn = oncePerTick(() => {
    const items = collected;
    collected = [];
    pass(items);
  });
  return (item) => {
    collected.push(item);
    passOn();
  };
}
