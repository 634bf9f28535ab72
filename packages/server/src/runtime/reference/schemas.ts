/**
 * The schemas of requests and replies as plain JSON Schema (draft 2020-12, as in OpenAPI 3.1). Named types are
 * described once and referred to.
 */
import type { TSchema } from 'typebox';
import { type DescribedSection, typeName } from './described.ts';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** All named schemas, and references to them. */
export interface Schemas {
  /** By name, in the order of first use. */
  readonly named: ReadonlyMap<string, Json>;
  /** A schema of an endpoint at its place of use: a reference if it has a name. */
  plain(schema: TSchema): Json;
  /** A reference to the schema of a request or a reply, under its own name or else `name`. */
  refer(name: string, schema: TSchema): Json;
}

/** The location of named schemas in an OpenAPI description. */
export const SCHEMA_PREFIX = '#/components/schemas/';

/** Properties of a schema that only the service itself reads. */
const INTERNAL = new Set(['errorText', 'moment', 'component', 'read']);

interface Loose {
  readonly [key: string]: unknown;
  readonly component?: string;
  readonly moment?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Loose[];
  readonly properties?: Readonly<Record<string, Loose>>;
  readonly items?: Loose;
  readonly patternProperties?: Readonly<Record<string, Loose>>;
  readonly additionalProperties?: Loose | boolean;
  readonly description?: string;
}

/**
 * Names the schemas of all endpoints.
 *
 * @throws Error if two different schemas share a name
 */
export function nameSchemas(sections: readonly DescribedSection[]): Schemas {
  const endpoints = sections.flatMap((section) => section.endpoints);
  const choiceLists = new Map<string, string>();
  for (const { fields, reply, refusalFields = {} } of endpoints)
    for (const each of [fields, reply, ...Object.values(refusalFields)])
      visitAll(each as Loose, ({ component, enum: choices }) => {
        if (component !== undefined && choices !== undefined) choiceLists.set(JSON.stringify(choices), component);
      });

  const named = new Map<string, Json>();
  const add = (name: string, make: () => Json): Json => {
    const before = named.get(name);
    // Reserves the position first, so that a schema comes before those that it refers to.
    if (before === undefined) named.set(name, {});
    const schema = make();
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema))
      throw new Error(`two different schemas are named ${name}`);
    named.set(name, schema);
    return { $ref: `${SCHEMA_PREFIX}${name}` };
  };

  const plain = (schema: Loose): Json => {
    const choices = schema.enum;
    const choicesName = choices === undefined ? undefined : choiceLists.get(JSON.stringify(choices));
    if (choices !== undefined && choicesName !== undefined) {
      const reference = add(choicesName, () => ({ type: 'string', enum: choices }));
      return schema.description === undefined ? reference : { ...reference, description: schema.description };
    }
    return schema.component === undefined ? bare(schema) : add(schema.component, () => bare(schema));
  };

  const bare = (schema: Loose): Json => {
    if (schema.moment !== undefined) return { type: 'string', format: 'date-time', ...described(schema) };
    if (schema.anyOf !== undefined) return nullableOf(schema, schema.anyOf);
    const shape: Record<string, unknown> = {};
    // An empty text counts as absent, so it is allowed in every optional field.
    for (const [key, value] of Object.entries(schema))
      if (!INTERNAL.has(key) && !(key === 'minLength' && value === 1)) shape[key] = value;
    if (schema.properties !== undefined)
      shape.properties = Object.fromEntries(
        Object.entries(schema.properties).map(([name, property]) => [name, plain(property)]),
      );
    if (schema.items !== undefined) shape.items = plain(schema.items);
    if (typeof schema.additionalProperties === 'object')
      shape.additionalProperties = plain(schema.additionalProperties);
    if (schema.patternProperties !== undefined) {
      const [values = {}] = Object.values(schema.patternProperties);
      delete shape.patternProperties;
      shape.additionalProperties = Object.keys(values).length === 0 ? true : plain(values);
    }
    return shape;
  };

  /** A union; if one option is null, the type includes it directly. */
  const nullableOf = (schema: Loose, options: readonly Loose[]): Json => {
    const plains = options.map((option) => {
      const { description: _, ...rest } = plain(option);
      return rest as Json;
    });
    const others = plains.filter(({ type }) => type !== 'null');
    const [other] = others;
    if (others.length === 1 && plains.length === 2 && typeof other?.type === 'string' && !('enum' in other))
      return { ...other, type: [other.type, 'null'], ...described(schema) };
    return { anyOf: plains, ...described(schema) };
  };

  return {
    named,
    plain: (schema) => plain(schema as Loose),
    refer: (name, schema) => add((schema as Loose).component ?? name, () => bare(schema as Loose)),
  };
}

/** The name of an endpoint's request or reply. */
export function bodyName(path: string, part: 'Request' | 'Reply'): string {
  return `${typeName(path)}${part}`;
}

function described({ description }: Loose): Json {
  return description === undefined || description === '' ? {} : { description };
}

function visitAll(schema: Loose, visit: (schema: Loose) => void): void {
  visit(schema);
  for (const inner of [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ])
    visitAll(inner, visit);
}

/** The same members with other values. */
export function mapValues(record: Json, change: (value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value as Json)]));
}
