/** The endpoints and fields of another checkout, as its openapi.json describes them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A field that the other version takes. */
export interface OtherField {
  /** The values that it allows, if they are few. */
  readonly words: readonly string[] | null;
}

/** The fields of each endpoint, by path. */
export type OtherVersion = ReadonlyMap<string, ReadonlyMap<string, OtherField>>;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      { readonly post?: { readonly requestBody?: { readonly content: Record<string, { schema: Schema }> } } }
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Reads the endpoints of the checkout in `folder`. */
export function readOtherVersion(folder: string): OtherVersion {
  const document: OpenApi = JSON.parse(readFileSync(join(folder, 'packages/server/openapi.json'), 'utf8'));
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolve(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  const wordsOf = (schema: Schema): readonly string[] | null => {
    const { enum: words, items, anyOf } = resolve(schema);
    if (words !== undefined) return words;
    if (items !== undefined) return wordsOf(items);
    return anyOf?.map(wordsOf).find((each) => each !== null) ?? null;
  };
  return new Map(
    Object.entries(document.paths).flatMap(([path, { post }]) => {
      if (post === undefined) return [];
      const body = post.requestBody?.content['application/json']?.schema;
      const properties = body === undefined ? {} : (resolve(body).properties ?? {});
      const fields = Object.entries(properties).map(([name, schema]) => [name, { words: wordsOf(schema) }] as const);
      return [[path, new Map(fields)] as const];
    }),
  );
}
