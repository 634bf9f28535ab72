/**
 * The OpenAPI 3.1 description of the service, generated from the values that also validate requests and type replies.
 */
import Type, { type TObject } from 'typebox';
import type { Access } from '../../platform/endpoint/caller.ts';
import type { Method } from '../../platform/endpoint/endpoint.ts';
import { publishedCodes, statusesOf } from '../../platform/endpoint/refusals.ts';
import { SECURITY_SCHEMES, shownAccess } from './access.ts';
import { takesIdempotencyKey } from './answerable.ts';
import { type DescribedEndpoint, type DescribedSection, pascal, SUMMARY } from './described.ts';
import { COMMON_HEADERS, refusalResponses, sharedResponses } from './responses.ts';
import { bodyName, type Json, nameSchemas, type Schemas } from './schemas.ts';

const DESCRIPTION = `${SUMMARY}

Bodies hold at most 64 KiB. Times are ISO 8601 in UTC; a request may also give a date alone, or a time without a zone,
which is UTC. Unknown fields are ignored; callers with a credential read their names in \`Latchkey-Ignored-Fields\`. null and
empty strings count as absent, unless a field says what null means.

Every refusal has a code, in the header \`Latchkey-Code\`; \`x-refusals\` lists them all, with their statuses. Every answer has an
\`X-Request-Id\`, which the log of the service names, too; where that is the request's own, \`Latchkey-Request-Id\` is the one
by which events are found. Lists answer \`nextCursor\` when there are more entries: send
it as \`cursor\`.`;

const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a retry safe: for 24 hours the same caller repeating the request gets the answer of the first success.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
};

function errorSchema(flag: 'success' | 'valid', description: string) {
  return Type.Object(
    { [flag]: Type.Literal(false), error: Type.String({ description: 'For people; the code is in the header.' }) },
    { description },
  );
}

/** The bodies of refusals, by name. */
export const errorSchemas: Readonly<Record<'Error' | 'CheckError', TObject>> = {
  Error: errorSchema('success', 'Why a request was refused.'),
  CheckError: errorSchema('valid', 'Why /verify or /validate refused a request.'),
};

/** The complete description. */
export function describeApi(sections: readonly DescribedSection[]): Json {
  const schemas = nameSchemas(sections);
  for (const [name, schema] of Object.entries(errorSchemas)) schemas.refer(name, schema);
  const responses = sharedResponses();
  const paths = Object.fromEntries(
    sections.flatMap(({ title, endpoints }) =>
      endpoints.map((endpoint) => [
        endpoint.path,
        Object.fromEntries(
          endpoint.methods.map((method) => [
            method.toLowerCase(),
            {
              ...operation(endpoint, method, title, schemas),
              responses: {
                [endpoint.successStatus]: responses.add(
                  endpoint.methods.length > 1 ? bodyName(endpoint.path, 'Reply') : null,
                  success(endpoint, schemas),
                ),
                ...refusalResponses(endpoint, method, responses, schemas),
              },
            },
          ]),
        ),
      ]),
    ),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchkey',
      version: '1',
      summary: 'Software licenses: issue them, check them.',
      description: DESCRIPTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: securityOf(USUAL_ACCESS),
    tags: sections.map(({ title, description }) => ({ name: title, description })),
    paths: responses.settle(paths),
    webhooks: webhooksOf(sections, schemas),
    components: {
      schemas: Object.fromEntries(schemas.named),
      responses: responses.named(),
      headers: COMMON_HEADERS,
      parameters: PARAMETERS,
      securitySchemes: SECURITY_SCHEMES,
    },
    'x-refusals': Object.fromEntries(publishedCodes.map((code) => [code, statusesOf(code)])),
  };
}

/** The events that the service sends, one for each type. */
function webhooksOf(sections: readonly DescribedSection[], schemas: Schemas): Json {
  const webhooks = sections.flatMap(({ title, sentEvents }) => {
    if (sentEvents === undefined) return [];
    const { schema, types } = sentEvents;
    return types().map(({ type, meaning, example }) => [
      type,
      {
        post: {
          operationId: `on${pascal(type)}`,
          tags: [title],
          summary: `Event ${type}`,
          description: meaning,
          security: [],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemas.refer('OutboundEvent', schema), example } },
          },
          responses: {
            '2XX': { description: 'Delivered.' },
            '4XX': { description: 'Refused: the event is sent again. 410 ends all events of the destination.' },
          },
        },
      },
    ]);
  });
  return Object.fromEntries(webhooks);
}

function operation(endpoint: DescribedEndpoint, method: Method, tag: string, schemas: Schemas): Json {
  const { path, summary, description, access, methods } = endpoint;
  // A file path contains characters that a name in code cannot have.
  const name = path.slice(1).replace(/\W+/g, '_').replace(/^_/, '');
  const parameters: Json[] = method === 'POST' ? [] : queryParameters(endpoint, schemas);
  if (takesIdempotencyKey(endpoint, method)) parameters.push({ $ref: '#/components/parameters/IdempotencyKey' });
  const isSecondWay = methods.length > 1 && method !== 'POST';
  return {
    operationId: isSecondWay ? `${name}By${titled(method)}` : name,
    tags: [tag],
    summary,
    description: isSecondWay ? `Like POST ${path}, with the fields in the query.` : description,
    ...(access === USUAL_ACCESS ? {} : { security: securityOf(access) }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(method === 'POST' ? { requestBody: requestBody(endpoint, schemas) } : {}),
  };
}

/** The access of most endpoints, stated once as the default. */
const USUAL_ACCESS: Access = 'admin';

/** Any one of the credentials suffices; an empty entry makes the credential optional. */
function securityOf(access: Access): Json[] {
  const { schemes, isRequired } = shownAccess(access);
  const alternatives: Json[] = schemes.map((scheme) => ({ [scheme]: [] }));
  return isRequired || schemes.length === 0 ? alternatives : [{}, ...alternatives];
}

const titled = (word: string) => word.charAt(0) + word.slice(1).toLowerCase();

function requestBody(endpoint: DescribedEndpoint, schemas: Schemas): Json {
  const { path, missing, example } = endpoint;
  return {
    ...(missing === '' ? {} : { description: `Without a required field: 400 \`${missing}\`.` }),
    required: true,
    content: {
      'application/json': {
        schema: schemas.refer(bodyName(path, 'Request'), requestFields(endpoint)),
        example: example.request,
      },
    },
  };
}

/** The fields of a request's body, including the credential that only a body can carry. */
export function requestFields({ fields, acceptsBodySecret }: DescribedEndpoint) {
  if (acceptsBodySecret !== true) return fields;
  const webhookSecret = Type.String({ description: 'The webhook secret, where its header cannot be set.' });
  return Type.Object({ ...fields.properties, webhookSecret: Type.Optional(webhookSecret) });
}

function queryParameters({ fields, example }: DescribedEndpoint, schemas: Schemas): Json[] {
  const required: readonly string[] = fields.required ?? [];
  return Object.entries(fields.properties).map(([name, field]) => {
    const { description = '', ...schema } = schemas.plain(field);
    return {
      name,
      in: 'query',
      ...(required.includes(name) ? { required: true } : {}),
      description,
      schema,
      ...(name in example.request ? { example: example.request[name] } : {}),
    };
  });
}

function success({ path, access, reply, example }: DescribedEndpoint, schemas: Schemas): Json {
  return {
    description: 'Success.',
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      'Latchkey-Request-Id': { $ref: '#/components/headers/Latchkey-Request-Id' },
      ...(access === 'client'
        ? {}
        : { 'Latchkey-Ignored-Fields': { $ref: '#/components/headers/Latchkey-Ignored-Fields' } }),
    },
    content: {
      'application/json': { schema: schemas.refer(bodyName(path, 'Reply'), reply), example: example.reply },
    },
  };
}
