/** Gathering what belongs together in time. */

/**
 * Gathers what is handed over in one turn of the event loop and passes it on at the turn's end, all at once: one commit
 * for all that arrived together, one message to another thread, one burst of answers to the network. When nothing else
 * is going on that end is at once, so whoever comes alone waits for nobody.
 *
 * @param pass takes what was gathered, in its order; never an empty list
 * @returns hands one thing over
 */
export function gatherEachTurn<Item>(pass: (items: readonly Item[]) => void): (item: Item) => void {
  let gathered: Item[] = [];
  const end = () => {
    const items = gathered;
    gathered = [];
    pass(items);
  };
  return (item) => {
    if (gathered.length === 0) setImmediate(end);
    gathered.push(item);
  };
}
