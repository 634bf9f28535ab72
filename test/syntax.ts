/** The syntax tree of a source (ESTree). */
import { parseSync } from 'vite';

/** A node, with its offsets in the source. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The statements at the top level of a source. */
export function statementsOf(source: string): readonly Node[] {
  return parseSync('source.ts', source).program.body as unknown as readonly Node[];
}

/** The nodes directly below a node, each with the name of its field. */
export function childrenOf(node: Node): readonly (readonly [string, Node])[] {
  return Object.entries(node).flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((child) => [field, child] as const),
  );
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.type === 'string';
}
