/**
 * The contract as TypeScript types, for client programs: path → request, reply and codes. Types only, without imports,
 * so that the file can be copied anywhere.
 */
import { codeOf, publishedCodes, type RefusalCode, statusesOf } from '../../platform/endpoint/refusals.ts';
import { answerableBy } from './answerable.ts';
import { type DescribedEndpoint, type DescribedSection, pascal } from './described.ts';
import { textsOf } from './errors-document.ts';
import { errorSchemas, requestFields } from './openapi.ts';
import { errorName } from './responses.ts';
import { bodyName, type Json, nameSchemas, SCHEMA_PREFIX, type Schemas } from './schemas.ts';

const HEADING = `/**
 * Requests and replies of the Latchkey service. Made from its endpoints by \`npm run generate\`; do not edit.
 *
 * Times are ISO 8601 text in UTC with milliseconds.
 */
`;

/** The text of contract.d.ts. */
export function contractText(sections: readonly DescribedSection[]): string {
  const schemas = nameSchemas(sections);
  const endpoints = sections.flatMap((section) => section.endpoints);
  const common = commonCodes(endpoints);
  const members = endpoints.map((endpoint) => endpointMember(endpoint, schemas, common));
  for (const [name, schema] of Object.entries(errorSchemas)) schemas.refer(name, schema);
  for (const { sentEvents } of sections)
    if (sentEvents !== undefined) schemas.refer('OutboundEvent', sentEvents.schema);
  return [
    HEADING,
    `/** Every endpoint by its path. */\nexport interface Endpoints {\n${members.join('\n')}\n}\n`,
    '/** The path of an endpoint. */\nexport type Path = keyof Endpoints;\n',
    '/** The request of an endpoint: a JSON body, or a query for GET and DELETE. */\n' +
      "export type RequestOf<At extends Path> = Endpoints[At]['request'];\n",
    "/** The body of an endpoint's success. */\nexport type ReplyOf<At extends Path> = Endpoints[At]['reply'];\n",
    '/** The refusal codes of an endpoint, as in the header `Latchkey-Code`. */\n' +
      "export type CodeOf<At extends Path> = Endpoints[At]['codes'] | CommonCode;\n",
    `/** Refusal codes that every endpoint can return. */\nexport type CommonCode =\n${union(common)};\n`,
    '/** Every refusal code. */\nexport type RefusalCode = keyof RefusalStatuses;\n',
    `/** The statuses of every refusal by its code. */\nexport interface RefusalStatuses {\n${refusalMembers()}\n}\n`,
    ...[...schemas.named].map(([name, schema]) => declaration(name, schema)),
  ].join('\n');
}

function commonCodes(endpoints: readonly DescribedEndpoint[]): readonly string[] {
  const sets = endpoints.flatMap((endpoint) =>
    endpoint.methods.map((method) => new Set<string>(answerableBy(endpoint, method).map(({ code }) => code))),
  );
  return publishedCodes.filter((code) => sets.every((codes) => codes.has(code)));
}

function refusalMembers(): string {
  return publishedCodes
    .map((code) => `${comment(textsOf(code), '  ')}  readonly ${code}: ${statusesOf(code).join(' | ')};`)
    .join('\n');
}

function endpointMember(endpoint: DescribedEndpoint, schemas: Schemas, common: readonly string[]): string {
  const { path, methods, access, summary, description, successStatus, reply } = endpoint;
  const codes = new Set(methods.flatMap((method) => answerableBy(endpoint, method).map(({ code }) => code as string)));
  const request = schemas.refer(bodyName(path, 'Request'), requestFields(endpoint));
  return `${comment(`${summary}. ${description}`, '  ')}  readonly '${path}': {
    readonly methods: ${methods.map((method) => `'${method}'`).join(' | ')};
    readonly access: '${access}';
    readonly status: ${successStatus};
    readonly request: ${typeText(request, '    ')};
    readonly reply: ${typeText(schemas.refer(bodyName(path, 'Reply'), reply), '    ')};
    readonly refusal: ${refusalText(endpoint, schemas)};
    readonly codes:${oneOrMore([...codes].filter((code) => !common.includes(code)))};
  };`;
}

/** The body of a refusal, and the further fields that some refusals have. */
function refusalText(endpoint: DescribedEndpoint, schemas: Schemas): string {
  const error = errorName(endpoint);
  const fuller = Object.entries(endpoint.refusalFields ?? {}).map(([refused, fields]) => {
    const name = pascal(codeOf(refused as RefusalCode));
    return `${error} & ${typeText(schemas.refer(name, fields), '')}`;
  });
  return [error, ...fuller.map((each) => `(${each})`)].join(' | ');
}

function oneOrMore(codes: readonly string[]): string {
  return codes.length === 0 ? ' never' : `\n${union(codes, '      ')}`;
}

function union(choices: readonly string[], indent = '  '): string {
  return choices.map((word) => `${indent}| '${word}'`).join('\n');
}

function declaration(name: string, schema: Json): string {
  const heading = comment(String(schema.description ?? ''), '');
  if (schema.type !== 'object') return `${heading}export type ${name} = ${typeText(schema, '')};\n`;
  const body = typeText(schema, '');
  return body.startsWith('{')
    ? `${heading}export interface ${name} ${body}\n`
    : `${heading}export type ${name} = ${body};\n`;
}

/** A schema as a type; lines after the first are indented by `indent`. */
function typeText(schema: Json, indent: string): string {
  const { $ref, anyOf, enum: choices, const: only, type } = schema;
  if (typeof $ref === 'string') return $ref.slice(SCHEMA_PREFIX.length);
  if (Array.isArray(anyOf)) return anyOf.map((option) => typeText(option as Json, indent)).join(' | ');
  if (Array.isArray(choices)) return choices.map((word) => JSON.stringify(word).replaceAll('"', "'")).join(' | ');
  if (only !== undefined) return typeof only === 'string' ? `'${only}'` : JSON.stringify(only);
  if (Array.isArray(type)) return type.map((each) => typeText({ ...schema, type: each }, indent)).join(' | ');
  if (type === 'array') return `readonly ${arrayOf(typeText((schema.items ?? {}) as Json, indent))}`;
  if (type === 'object') return objectText(schema, indent);
  if (type === 'integer') return 'number';
  return typeof type === 'string' ? type : 'unknown';
}

function arrayOf(item: string): string {
  return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

function objectText({ properties = {}, required = [], additionalProperties }: Json, indent: string): string {
  const members = Object.entries(properties as Record<string, Json>).map(([name, property]) => {
    const optional = (required as readonly string[]).includes(name) ? '' : '?';
    const inner = `${indent}  `;
    return `${comment(String(property.description ?? ''), inner)}${inner}readonly ${name}${optional}: ${typeText(property, inner)};`;
  });
  if (members.length > 0) return `{\n${members.join('\n')}\n${indent}}`;
  if (additionalProperties === undefined) return 'Readonly<Record<string, never>>';
  const values = additionalProperties === true ? 'unknown' : typeText(additionalProperties as Json, indent);
  return `Readonly<Record<string, ${values}>>`;
}

/** A comment with lines of up to about 110 characters; empty for an empty text. */
function comment(text: string, indent: string): string {
  if (text === '') return '';
  const safe = text.replaceAll('*/', '* /');
  if (safe.length <= 100) return `${indent}/** ${safe} */\n`;
  const lines: string[] = [];
  let line = '';
  for (const word of safe.split(/\s+/)) {
    if (line !== '' && line.length + word.length > 105) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return `${indent}/**\n${[...lines, line].map((each) => `${indent} * ${each}\n`).join('')}${indent} */\n`;
}
