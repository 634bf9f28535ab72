/**
 * Turns of the event loop: what arrives in one turn is often better done together. One commit for all transactions that
 * were asked for, one message to another thread, one flush of answers to the network. When nothing else is going on the
 * turn ends at once, so whoever comes alone waits for nobody.
 */

/**
 * Runs `work` once at the end of a turn, however often it was asked for in that turn.
 *
 * @returns asks for it
 */
export function oncePerTurn(work: () => void): () => void {
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
 * Gathers what is handed over in one turn and passes it on at the turn's end, all at once.
 *
 * @param pass takes what was gathered, in its order; never an empty list
 * @returns hands one thing over
 */
export function gatherEachTurn<Item>(pass: (items: readonly Item[]) => void): (item: Item) => void {
  let gathered: Item[] = [];
  const passOn = oncePerTurn(() => {
    const items = gathered;
    gathered = [];
    pass(items);
  });
  return (item) => {
    gathered.push(item);
    passOn();
  };
}
