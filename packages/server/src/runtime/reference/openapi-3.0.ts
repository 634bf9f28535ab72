/**
 * The description in the form of OpenAPI 3.0, for code generators that do not read 3.1. It is derived from the 3.1
 * description, so that both say the same. https://www.openapis.org/blog/2021/02/16/migrating-from-openapi-3-0-to-3-1-0
 */
import { type Json, mapValues, SCHEMA_PREFIX } from './schemas.ts';

/** Keywords whose values are schemas. */
const OF_A_SCHEMA = new Set(['items', 'not', 'additionalProperties']);
const OF_SCHEMAS = new Set(['anyOf', 'allOf']);

/** Keywords that mean the same in both versions. */
const UNCHANGED = new Set([
  'type',
  'description',
  'required',
  'enum',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'minProperties',
]);

/**
 * The 3.0 form of a 3.1 description.
 *
 * @throws Error if a schema has a keyword whose 3.0 form is unknown here
 */
export function asOpenApi30(description: Json): Json {
  // 3.0 has no webhooks.
  const { openapi: _openapi, info, components, webhooks: _webhooks, ...rest } = description as Record<string, Json>;
  const { summary: _summary, license, ...aboutIt } = info as Json;
  const { schemas, ...others } = components as Record<string, Json>;
  const convert = converter(schemas as Json);
  const converted = mapValues(schemas as Json, convert);
  const paths = withSchemas(rest, convert) as Json;
  const shared = withSchemas(others, convert) as Json;
  // A schema that was only used with null is repeated where it is used.
  const used = Object.entries(converted).filter(usedIn(converted, [paths, shared]));
  return {
    openapi: '3.0.3',
    info: { ...aboutIt, license: { name: (license as Json).name, url: 'https://opensource.org/license/mit' } },
    ...paths,
    components: { schemas: Object.fromEntries(used), ...shared },
  };
}

/** Returns whether a named schema is referred to, directly or by other schemas that are. */
function usedIn(schemas: Json, rest: unknown): ([name]: [string, unknown]) => boolean {
  const used = new Set<string>();
  const visit = (part: unknown) => {
    const text = JSON.stringify(part);
    for (const [name, schema] of Object.entries(schemas))
      if (!used.has(name) && text.includes(`"${SCHEMA_PREFIX}${name}"`)) {
        used.add(name);
        visit(schema);
      }
  };
  visit(rest);
  return ([name]) => used.has(name);
}

/** Converts every schema in a part of the description outside the named schemas. Examples stay as they are. */
function withSchemas(part: unknown, convert: (schema: Json) => Json): unknown {
  if (Array.isArray(part)) return part.map((each) => withSchemas(each, convert));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (key === 'example') return [key, value];
      return [key, key === 'schema' ? convert(value as Json) : withSchemas(value, convert)];
    }),
  );
}

/** @param named the named schemas, which a nullable reference repeats */
function converter(named: Json): (schema: Json) => Json {
  const namedSchema = (reference: string) => named[reference.slice(SCHEMA_PREFIX.length)] as Json;

  const convert = (schema: Json): Json => {
    const { $ref: reference, description, ...beside } = schema;
    const text = description === undefined ? {} : { description };
    if (reference !== undefined)
      // 3.0 ignores a description beside a reference.
      return description === undefined ? schema : { allOf: [{ $ref: reference }], ...convert({ ...beside, ...text }) };
    const nullable = nullableReference(schema);
    if (nullable !== undefined) return orNull(convert(namedSchema(nullable)), description);
    const only = onlyAlternative(schema);
    if (only !== undefined) return convert(only);
    return Object.fromEntries(Object.entries(schema).flatMap(([key, value]) => keyword(key, value)));
  };

  const keyword = (key: string, value: unknown): [string, unknown][] => {
    if (key === 'type' && Array.isArray(value)) {
      const types = value.filter((type) => type !== 'null');
      if (types.length !== 1 || value.length !== 2) throw new Error(`OpenAPI 3.0 has no form for the types ${value}`);
      return [
        ['type', types[0]],
        ['nullable', true],
      ];
    }
    // Generators of 3.0 make enumerations of texts even of a boolean with one value; its type says enough.
    if (key === 'const') return typeof value === 'boolean' ? [] : [['enum', [value]]];
    if (key === 'properties') return [[key, mapValues(value as Json, convert)]];
    if (OF_SCHEMAS.has(key)) return [[key, withoutNull(value as Json[]).map(convert)]];
    if (OF_A_SCHEMA.has(key)) return [[key, typeof value === 'boolean' ? value : convert(value as Json)]];
    if (!UNCHANGED.has(key)) throw new Error(`OpenAPI 3.0 has no form for the keyword ${key}`);
    return [[key, value]];
  };

  return convert;
}

/**
 * The alternatives of a schema, without null. 3.0 knows `nullable` only beside a type, so the first alternative allows
 * null.
 */
function withoutNull(schemas: readonly Json[]): readonly Json[] {
  const [first, ...others] = schemas.filter(({ type }) => type !== 'null');
  if (first === undefined || others.length + 1 === schemas.length) return schemas;
  return [{ ...first, type: [first.type, 'null'] }, ...others];
}

/**
 * A named schema, or null, at its place of use. `nullable` beside a reference would allow nothing that the schema
 * behind it rejects, so the schema is repeated. A list of words becomes a description, because an enumeration would
 * need null among its words, which generators take for the text "null" or fail at.
 */
function orNull({ enum: words, ...schema }: Json, description: unknown): Json {
  const sentences = [description ?? [], words === undefined ? [] : `One of: ${(words as string[]).join(', ')}.`].flat();
  return { ...schema, nullable: true, ...(sentences.length === 0 ? {} : { description: sentences.join(' ') }) };
}

/** The schema whose only alternative is null, with null among its types; undefined for any other schema. */
function onlyAlternative({ anyOf, ...beside }: Json): Json | undefined {
  const options = (anyOf ?? []) as readonly Json[];
  const [only, ...others] = options.filter(({ type }) => type !== 'null');
  if (options.length !== 2 || only === undefined || others.length > 0) return undefined;
  return { ...only, ...beside, type: [only.type, 'null'] };
}

/** The reference of a schema that allows what it refers to, or null; undefined for any other schema. */
function nullableReference({ anyOf }: Json): string | undefined {
  const options = (anyOf ?? []) as readonly Json[];
  if (options.length !== 2 || !options.some(({ type }) => type === 'null')) return undefined;
  return options.find(({ type }) => type !== 'null')?.$ref as string | undefined;
}
