/** Values that an endpoint's schema accepts, and values that it must refuse. */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { mintSecret } from '../../../src/ground/base/random.ts';
import type { Endpoint } from '../../../src/platform/endpoint/endpoint.ts';

/** A field of an endpoint, with the facts that decide which values are wrong. */
export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly kind: 'text' | 'number' | 'integer' | 'flag' | 'list';
  readonly schema: TSchema;
  /** Maximum length in code points, for text. */
  readonly maximum: number;
  /** Minimum of a number. */
  readonly minimum: number;
}

/** The fields of an endpoint. */
export function fieldsOf({ fields }: Endpoint): readonly Field[] {
  const required: readonly string[] = fields.required ?? [];
  return Object.entries(fields.properties).flatMap(([name, schema]) => {
    const inner = innerOf(schema);
    // Fields with parts have tests of their own, such as features.
    if (inner.type === 'object' || inner.items?.type === 'object') return [];
    const kinds = { string: 'text', number: 'number', integer: 'integer', boolean: 'flag', array: 'list' } as const;
    const kind = kinds[inner.type as keyof typeof kinds];
    if (kind === undefined) throw new Error(`${name} is of a kind that this test does not know: ${inner.type}`);
    return {
      name,
      isRequired: required.includes(name),
      kind,
      schema,
      maximum: inner.maxLength ?? 255,
      minimum: inner.minimum ?? 0,
    };
  });
}

/** The schema of a field's value when it is not null. */
function innerOf(schema: TSchema): {
  type?: string;
  maxLength?: number;
  minimum?: number;
  items?: { type?: string; enum?: readonly unknown[] };
} {
  const options = (schema as { anyOf?: { type?: string }[] }).anyOf;
  return (options?.find(({ type }) => type !== 'null') ?? schema) as { type?: string };
}

const CANDIDATES = [
  ...['ada@example.com', 'usd', 'DE', '2027-01-31T00:00:00Z', 'right', 'live', 'machine_limit', '2', '0f'.repeat(32)],
  ...[2, 1, 0, 60, true, ['right']],
];

/** Results of {@link rightValue}: compiling a schema takes longer than most requests. */
const rightValues = new WeakMap<TSchema, unknown>();

/** A valid value of a field. */
export function rightValue(field: Field): unknown {
  if (!rightValues.has(field.schema)) rightValues.set(field.schema, findRightValue(field));
  return rightValues.get(field.schema);
}

function findRightValue(field: Field): unknown {
  const fits = Compile(field.schema);
  const words = (innerOf(field.schema) as { enum?: readonly unknown[] }).enum ?? [];
  const lists = innerOf(field.schema).items?.enum?.map((word) => [word]) ?? [];
  const value = [...words, ...lists, ...CANDIDATES].find((candidate) => fits.Check(candidate));
  if (value === undefined) throw new Error(`no candidate fits ${field.name}`);
  return value;
}

/**
 * The longest text that a field accepts, of incompressible characters of four bytes each, because indexes have a
 * largest entry. Undefined for fields whose form is stricter than their length.
 */
export function longestText({ schema, maximum }: Field): string | undefined {
  const characters = [...Buffer.from(mintSecret(3 * maximum), 'base64url').subarray(0, maximum)];
  const astral = characters.map((byte, index) => String.fromCodePoint(0x20000 + byte * 128 + (index % 128)));
  const fits = Compile(schema);
  const mail = [...astral.slice(0, maximum - 6), ...'@x.org'].join('');
  return [astral.join(''), mail].find((candidate) => fits.Check(candidate));
}

/** Texts that are one character longer than a field takes, of one and of four bytes each. */
export function tooLongTexts({ maximum }: Pick<Field, 'maximum'>): readonly string[] {
  return ['x', '\u{1f600}'].map((character) => character.repeat(maximum + 1));
}

/** Values by their mistake. */
export const HOSTILE = {
  /** Valid wherever any text is valid. */
  texts: [
    ' ',
    '\t\r\n\u2028\u2029',
    "'; drop table license; --",
    `" or ""="`,
    "x' union select hash from api_key --",
    '$1 $2 ?1 :name %s %n {0} {limit} #{1+1} {{7*7}}',
    '%00%0a%2e%2e%2f',
    '../../etc/passwd',
    '<script>alert(1)</script>&amp;',
    'ÄÖÜß İıſ ﬃ ΐ',
    'שלום \u202eعربى\u202c',
    '👩‍👩‍👧‍👦🏴‍☠️ e\u0301\u0301\u0301 \u200b\ufeff',
    '\ud83d\ude00\u{10ffff}\ufffe\uffff',
    '\u0001\u001b[31m\u007f\u0085',
    '-1',
    'null',
    '__proto__',
    'constructor',
    'ｔｅｘｔ＠ｅｘａｍｐｌｅ．ｃｏｍ',
  ],
  /** Texts that no field accepts. */
  brokenTexts: ['\0', 'a\0b@c.d', '\ud800', 'a@b.\udfff'],
  /** Values that are no text. */
  noTexts: [0, 1, -1.5, true, false, [], ['right'], [null], {}, { length: 5 }, { toString: 'x' }],
  numbers: [0, 1, -1, -2, -1000, 0.1, 3, 1000, 1e9, 1e9 + 1, Number.MAX_SAFE_INTEGER, 1e15, 5e-324],
  /** Numbers that no field accepts, and values that are no number. */
  noNumbers: [-1e308, 1e308, 1e21, '1', 'many', true, false, [], [1], {}],
  /** Invalid for every whole number, because none may be less than -1. */
  noIntegers: [-2, 0.5, 1.0000000000000002, -0.5, 1e-7],
  noFlags: ['true', 'false', 'yes', 0, 1, [], [true], {}],
  noLists: [
    ...['right', 1, true, {}, { 0: 'right', length: 1 }],
    ...[[1], [null], [['right']], [''], ['x'.repeat(513)], ['\0'], ['\ud800']],
  ],
  /** Raw bodies by their error. */
  bodies: {
    'Body must be a JSON object': [
      ...['null', '[]', '[{}]', '"text"', '5', '-0', '1e999', 'true', ' null '].map((text) => Buffer.from(text)),
      Buffer.from('['.repeat(32_000) + ']'.repeat(32_000)),
    ],
    'Body is not valid JSON': [
      ...['{', '}', '{"a":}', "{'a':1}", '{"a":1,}', '{a:1}', 'undefined', 'NaN', '{} {}', '{"a":01}', '{"a":"\n"}'],
      ...['adminSecret=x&email=y', '\0', '{"a":"\\u12"}', '['.repeat(50_000), '{"a":'.repeat(10_000)],
    ]
      .map((text) => Buffer.from(text))
      .concat([
        Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
        Buffer.from([0xc0, 0x80]),
        Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
        Buffer.from('{"email":"ada@example.com"}', 'utf16le'),
      ]),
    'Body is larger than 64 KiB': [
      Buffer.from('['.repeat(50_000) + ']'.repeat(50_000)),
      Buffer.from(`{"email":"${'x'.repeat(1_000_000)}"}`),
    ],
  },
  /** Texts as they appear in a query, after `name=`; valid wherever any text is. */
  queryTexts: ['%', '%zz', '%ff%fe', '%c0%80', '+', 'a=b', '1&1', 'x;y', '%ed%a0%80'],
  queryNoNumbers: [
    'many',
    '1e308',
    '0x10',
    'NaN',
    'Infinity',
    '-2',
    '1,5',
    '1_000',
    '%2b1',
    '%EF%BC%91',
    '9'.repeat(400),
  ],
  /** Whole queries without any field of an endpoint. */
  queries: ['', '&&&', '=', '=x', '__proto__=x', '__proto__[email]=x', 'constructor=x', '%', '?', 'a'.repeat(10_000)],
} as const;
