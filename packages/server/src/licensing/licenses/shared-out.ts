/** Shares of a bounded list. */

/**
 * The first `most` of some items, of which each group has an equal share as long as it has items. What a group leaves
 * of its share goes to the first of the others. The order stays.
 */
export function sharedOut<Item, Group>(
  items: readonly Item[],
  groupOf: (item: Item) => Group,
  most: number,
): readonly Item[] {
  if (items.length <= most) return items;
  const groups = Map.groupBy(items, groupOf);
  const share = Math.floor(most / groups.size);
  const chosen = new Set([...groups.values()].flatMap((group) => group.slice(0, share)));
  for (const item of items) {
    if (chosen.size >= most) break;
    chosen.add(item);
  }
  return items.filter((item) => chosen.has(item));
}
