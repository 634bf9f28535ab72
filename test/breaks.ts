/** Small breaks of a source file: each changes a rule, a bound or a lock in one place. */
import { childrenOf, type Node, statementsOf } from './syntax.ts';

/** A way to break a file. */
export type Kind = 'comparison' | 'condition' | 'logic' | 'bound' | 'lock';

/** A text to put in the place of another. */
export interface Break {
  readonly kind: Kind;
  readonly line: number;
  /** Offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const OTHER_COMPARISON: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};
const CONDITIONS = ['IfStatement', 'ConditionalExpression', 'WhileStatement'];
/** The names of constants, and the fields of schemas and settings that bound a value. */
const CONSTANT = /^[A-Z][A-Z0-9_]+$/;
const BOUND = /^(minimum|maximum|minLength|maxLength|minItems|maxItems|default)$/;
/** Constants in milliseconds. */
const TIME = /_MS$/;
const LOCK = /lock|claim|lease/i;
/** Row locks in a statement of PostgreSQL. */
const ROW_LOCK = / for (update|no key update|share)\b/gi;

/** The places where a source can be broken, from its beginning to its end. */
export function breaksOf(source: string): readonly Break[] {
  const found: Break[] = [];
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const add = (kind: Kind, start: number, end: number, replacement: string) =>
    found.push({ kind, line: source.slice(0, start).split('\n').length, start, end, replacement });

  function look(node: Node): void {
    if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') addOperator(node);
    if (CONDITIONS.includes(node.type)) {
      const test = node.test as Node;
      add('condition', test.start, test.end, `!(${textOf(test)})`);
    }
    if (node.type === 'VariableDeclarator') addBound((node.id as Node).name, node.init as Node | null, CONSTANT);
    if (node.type === 'Property') addBound((node.key as Node).name, node.value as Node, BOUND);
    if (node.type === 'ExpressionStatement') addCall(node);
    if (node.type === 'TemplateElement' || node.type === 'Literal')
      for (const { index, 0: lock } of textOf(node).matchAll(ROW_LOCK))
        add('lock', node.start + index, node.start + index + lock.length, '');
  }

  function addOperator({ left, right, operator }: Node): void {
    const [from, to] = [(left as Node).end, (right as Node).start];
    const at = source.indexOf(operator as string, from);
    const other = operator === '&&' ? '||' : operator === '||' ? '&&' : OTHER_COMPARISON[operator as string];
    if (other === undefined || at < 0 || at >= to) return;
    add(operator === '&&' || operator === '||' ? 'logic' : 'comparison', at, at + (operator as string).length, other);
  }

  /** A number, or a product of numbers, is increased by one; a time is doubled, because no one sees a millisecond. */
  function addBound(name: unknown, value: Node | null, names: RegExp): void {
    const isNumber = value !== null && /^[\d_.\s*]+$/.test(textOf(value));
    if (typeof name === 'string' && names.test(name) && isNumber)
      add('bound', value.start, value.end, `(${textOf(value)} ${TIME.test(name) ? '* 2' : '+ 1'})`);
  }

  /** A call that locks is left out. A call that is not awaited would break nothing: a connection keeps the order. */
  function addCall(statement: Node): void {
    const expression = statement.expression as Node;
    if (expression.type !== 'AwaitExpression') return;
    const call = expression.argument as Node;
    if (call.type !== 'CallExpression' || !LOCK.test(textOf(call).split('\n')[0]!)) return;
    add('lock', statement.start, statement.end, ';');
  }

  function walk(node: Node): void {
    if (isExample(node)) return;
    look(node);
    for (const [, child] of childrenOf(node)) walk(child);
  }

  for (const statement of statementsOf(source)) walk(statement);
  return found.toSorted((one, other) => one.start - other.start);
}

/** The source with the break. */
export function broken(source: string, { start, end, replacement }: Break): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** Examples of endpoints are documents, and types vanish. */
function isExample({ type, key }: Node): boolean {
  return (
    type.startsWith('TSType') ||
    type === 'TSInterfaceDeclaration' ||
    (type === 'Property' && (key as Node).name === 'example')
  );
}
