/** The OpenAPI 3.1 description of the service, made from the same values that validate requests and type replies. */
import type { TObject, TSchema } from 'typebox';
import type { Access } from '../endpoint/caller.ts';
import type { Endpoint, Method, Section } from '../endpoint/endpoint.ts';
import { type RefusalCode, statusOf, textPattern } from '../refusals.ts';

type Json = Record<string, unknown>;

/** Refusals that every endpoint shares, before its own rules are asked. */
const TRANSPORT: readonly RefusalCode[] = ['bad_json', 'body_not_object', 'body_too_large'];
const SAFE_RETRIES: readonly RefusalCode[] = ['idempotency_key_reused', 'idempotent_reply_lost'];
const ALWAYS: readonly RefusalCode[] = ['overloaded', 'unexpected'];

const SECURITY: Readonly<Record<Access, readonly Json[]>> = {
  client: [],
  admin: [{ adminSecret: [] }, { apiKey: [] }, { bearer: [] }],
  superAdmin: [{ adminSecret: [] }],
  webhook: [{ webhookSecret: [] }],
  webhookOrKey: [{ webhookSecret: [] }, { apiKey: [] }, { bearer: [] }],
};

/** The whole description. */
export function describeApi(sections: readonly Section[]): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchkey',
      version: '1',
      description:
        'Issues software licenses and checks them. HTTPS only; bodies are JSON of at most 64 KiB; timestamps are ISO ' +
        '8601 in UTC. Unknown fields are ignored; null and empty strings count as absent. Any POST but those to the ' +
        'client endpoints may carry an Idempotency-Key: for 24 hours the same caller repeating it gets the answer of the ' +
        'first success again. Refusals are not kept.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: sections.map(({ title }) => ({ name: title })),
    paths: Object.fromEntries(
      sections.flatMap(({ title, endpoints }) => endpoints.map((each) => [each.path, pathItem(each, title)])),
    ),
    components: {
      securitySchemes: {
        adminSecret: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Admin-Secret',
          description: 'Also as field `adminSecret` of the body, or of the query on GET and DELETE.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: "Reaches one creator's products only. Also as field `apiKey` of the body or the query.",
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a bearer token.' },
        webhookSecret: { type: 'apiKey', in: 'header', name: 'x-webhook-secret' },
      },
    },
  };
}

function pathItem(endpoint: Endpoint, tag: string): Json {
  return Object.fromEntries(endpoint.methods.map((method) => [method.toLowerCase(), operation(endpoint, method, tag)]));
}

function operation(endpoint: Endpoint, method: Method, tag: string): Json {
  const name = endpoint.path.slice(1);
  const inQuery = method !== 'POST';
  return {
    operationId: endpoint.methods.length > 1 ? `${name}By${method === 'GET' ? 'Get' : titled(method)}` : name,
    tags: [tag],
    summary: endpoint.summary,
    description: endpoint.description,
    security: SECURITY[endpoint.access],
    ...(inQuery ? { parameters: queryParameters(endpoint.fields) } : { requestBody: requestBody(endpoint) }),
    ...(takesIdempotencyKey(endpoint, method) ? { parameters: [IDEMPOTENCY_KEY] } : {}),
    responses: responses(endpoint, method),
  };
}

const titled = (word: string) => word.charAt(0) + word.slice(1).toLowerCase();

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a retry safe: the answer of the first success is given again for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function takesIdempotencyKey({ access }: Endpoint, method: Method): boolean {
  return method === 'POST' && access !== 'client';
}

function requestBody({ fields, acceptsBodySecret }: Endpoint): Json {
  const schema = plain(fields);
  if (acceptsBodySecret)
    schema.properties = {
      ...(schema.properties as Json),
      webhookSecret: { type: 'string', description: 'The webhook secret, where its header cannot be set.' },
    };
  return { required: true, content: { 'application/json': { schema } } };
}

function queryParameters(fields: TObject): Json[] {
  const required: readonly string[] = fields.required ?? [];
  return Object.entries(fields.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: (schema as { description?: string }).description ?? '',
    schema: plain(schema),
  }));
}

function responses(endpoint: Endpoint, method: Method): Json {
  const texts = new Map<number, Set<string>>();
  const add = (status: number, text: string) => {
    const known = texts.get(status) ?? new Set<string>();
    texts.set(status, known.add(text));
  };
  if (endpoint.missing !== '') add(400, endpoint.missing);
  if (Object.keys(endpoint.fields.properties).length > 0) add(400, '<field> must be ... (names the field)');
  if (endpoint.access !== 'client') add(401, textPattern('unauthorized'));
  const ofBody = method === 'POST' ? TRANSPORT : [];
  const ofKey = takesIdempotencyKey(endpoint, method) ? SAFE_RETRIES : [];
  for (const code of [...ofBody, ...ofKey, ...endpoint.refusals, ...ALWAYS]) add(statusOf(code), textPattern(code));
  const errors = [...texts].sort(([one], [other]) => one - other);
  return {
    [endpoint.successStatus]: {
      description: 'Success',
      content: { 'application/json': { schema: plain(endpoint.reply) } },
    },
    ...Object.fromEntries(
      errors.map(([status, known]) => [
        status,
        {
          description: [...known].map((text) => `\`${text}\``).join('; '),
          ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
          content: { 'application/json': { schema: errorSchema(endpoint.flag, [...known]) } },
        },
      ]),
    ),
  };
}

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };

function errorSchema(flag: string, texts: readonly string[]): Json {
  return {
    type: 'object',
    required: [flag, 'error'],
    properties: { [flag]: { const: false }, error: { type: 'string', examples: texts } },
  };
}

/** A schema without what only the service itself reads in it. */
function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'fault' || key === 'moment' ? undefined : value)));
}
