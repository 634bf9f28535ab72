/** Tables of the fields of requests and replies; nested fields get tables of their own. */
import { escaped } from '../../../ground/base/html.ts';
import { SCHEMA_PREFIX } from '../schemas.ts';
import { code, type Prose, row, table } from './html.ts';

/** Longer lists of choices, for example the 30 types of events, get a row of their own. */
const MAX_CHOICES_SHOWN = 12;

/** A JSON Schema in the reference's form (see schemas.ts). */
export interface Shape {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

export interface TableContext {
  readonly named: ReadonlyMap<string, Shape>;
  readonly prose: Prose;
}

/**
 * The table of an object's fields; empty if it has none.
 *
 * @param label caption of the table, for example `Request`
 * @param absent note on a field that may be absent, for example `optional`
 */
export function fieldTable(label: string, shape: Shape, absent: string, context: TableContext): string {
  const { properties = {}, required = [] } = resolved(shape, context);
  const rows = Object.entries(properties).map(([name, property]) =>
    fieldRow(name, property, required.includes(name) ? '' : absent, absent, context),
  );
  return rows.length === 0 ? '' : table(label, [label, 'Meaning'], rows, 'fields');
}

function fieldRow(name: string, property: Shape, mark: string, absent: string, context: TableContext): string {
  const choices = choicesOf(property, context);
  const isLong = choices !== undefined && choices.length > MAX_CHOICES_SHOWN;
  const choice = choices === undefined || isLong ? '' : ` One of ${listed(choices)}.`;
  const kind = [typeText(property, context), ...limitsOf(property), ...(mark === '' ? [] : [mark])].join(', ');
  const heading = `${code(name)}<small>${escaped(kind)}</small>`;
  return (
    row([heading, `${context.prose(meaningOf(property, context))}${choice}`]) +
    (isLong ? openedRow(`Words of ${name}`, choices.length, `<p>${listed(choices)}</p>`) : '') +
    insideOf(name, property, absent, context)
  );
}

function listed(words: readonly string[]): string {
  return words.map((word) => code(word)).join(', ');
}

/** A collapsed row with further details, below the row of a field. */
function openedRow(title: string, count: number, html: string): string {
  const details = `<details><summary>${escaped(title)} <small>${count}</small></summary>${html}</details>`;
  return `<tr class="inside"><td colspan="2">${details}</td></tr>`;
}

/** The meaning of a field; by default, that of its named type. */
function meaningOf(property: Shape, context: TableContext): string {
  if (property.const !== undefined) return `Always \`${JSON.stringify(property.const)}\`.`;
  return property.description ?? objectIn(property, context)?.shape.description ?? '';
}

/** The nested fields of a field. */
function insideOf(name: string, property: Shape, absent: string, context: TableContext): string {
  const inner = objectIn(property, context);
  if (inner === undefined) return '';
  const count = Object.keys(inner.shape.properties ?? {}).length;
  const title = inner.name === undefined ? `Fields of ${name}` : `Fields of ${inner.name}`;
  return openedRow(title, count, fieldTable(title, inner.shape, absent, context));
}

function objectIn(shape: Shape, context: TableContext): { name?: string; shape: Shape } | undefined {
  if (shape.items !== undefined) return objectIn(shape.items, context);
  if (shape.anyOf !== undefined)
    return shape.anyOf.map((each) => objectIn(each, context)).find((each) => each !== undefined);
  const target = resolved(shape, context);
  if (target.properties === undefined) return undefined;
  return shape.$ref === undefined ? { shape: target } : { name: nameOf(shape.$ref), shape: target };
}

/** The allowed values of a field, or of each entry of a list. */
function choicesOf(shape: Shape, context: TableContext): readonly string[] | undefined {
  if (shape.items !== undefined) return choicesOf(shape.items, context);
  if (shape.anyOf !== undefined)
    return shape.anyOf.map((each) => choicesOf(each, context)).find((each) => each !== undefined);
  return resolved(shape, context).enum;
}

function resolved(shape: Shape, { named }: TableContext): Shape {
  return shape.$ref === undefined ? shape : (named.get(nameOf(shape.$ref)) ?? {});
}

function nameOf(reference: string): string {
  return reference.slice(SCHEMA_PREFIX.length);
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
  null: 'null',
};

function typeText(shape: Shape, context: TableContext): string {
  if (shape.anyOf !== undefined) return shape.anyOf.map((each) => typeText(each, context)).join(' or ');
  if (shape.items !== undefined) return `list of ${typeText(shape.items, context)}`;
  const target = resolved(shape, context);
  if (shape.$ref !== undefined && target.properties !== undefined) return nameOf(shape.$ref);
  if (Array.isArray(target.type)) return target.type.map((type) => typeText({ ...target, type }, context)).join(' or ');
  if (target.format === 'date-time' && target.type === 'string') return 'time';
  return TYPES[String(target.type)] ?? 'any';
}

function limitsOf({ minimum, maximum, maxLength, maxItems }: Shape): string[] {
  if (maxLength !== undefined) return [`at most ${maxLength} characters`];
  if (maxItems !== undefined) return [`at most ${maxItems}`];
  if (minimum === undefined) return [];
  return [maximum === undefined || maximum >= 1e9 ? `from ${minimum}` : `${minimum} to ${maximum}`];
}
