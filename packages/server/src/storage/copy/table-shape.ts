/** The shapes of tables, and the order in which tables can be filled. */

/** A column, the same in both engines. */
export interface ColumnShape {
  readonly name: string;
  readonly type: 'text' | 'integer';
}

/** A table. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnShape[];
  /** The columns of its primary key, in the key's order; never none. */
  readonly primaryKey: readonly string[];
  /** The tables that rows of this one refer to. */
  readonly references: readonly string[];
}

/**
 * Checks that rows of one table fit into the other unchanged. The order of columns may differ.
 *
 * @throws when a column is missing on one side or has another type, or the keys differ
 */
export function checkSameShape(source: TableShape, target: TableShape): void {
  const said = ({ columns, primaryKey }: TableShape) => {
    const sorted = columns.map(({ name, type }) => `${name} ${type}`).sort();
    return `${sorted.join(', ')}; key ${primaryKey.join(', ')}`;
  };
  if (said(source) !== said(target))
    throw new Error(`The table ${source.name} differs: source (${said(source)}), target (${said(target)}).`);
}

/**
 * Sorts tables so that each follows the tables that it refers to, otherwise by name.
 *
 * @throws when tables refer to each other in a circle
 */
export function inFillingOrder(tables: readonly TableShape[]): readonly TableShape[] {
  const waiting = new Map(tables.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map((t) => [t.name, t]));
  const ordered: TableShape[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].find(({ name, references }) =>
      references.every((referred) => referred === name || !waiting.has(referred)),
    );
    if (ready === undefined) throw new Error(`These tables refer to each other: ${[...waiting.keys()].join(', ')}.`);
    waiting.delete(ready.name);
    ordered.push(ready);
  }
  return ordered;
}
