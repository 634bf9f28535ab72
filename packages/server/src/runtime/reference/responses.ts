/** The refusals in the OpenAPI description; those shared by several operations are described once. */

import { STATUS_CODES } from '../../ground/base/node-http.ts';
import type { Method } from '../../platform/endpoint/endpoint.ts';
import { type AnswerableRefusal, answerableBy } from './answerable.ts';
import { type DescribedEndpoint, pascal } from './described.ts';
import { type Json, mapValues, SCHEMA_PREFIX, type Schemas } from './schemas.ts';

/** Headers that many replies have. */
export const COMMON_HEADERS = {
  'X-Request-Id': {
    description:
      'Id of the request: the one that it sent, otherwise that of the service, by which /listEvents finds its changes.',
    schema: { type: 'string', pattern: '^[\\w.-]{1,64}$' },
  },
  'Latchkey-Request-Id': {
    description: 'The id of the service, where `X-Request-Id` is the one that the request gave itself.',
    schema: { type: 'string', pattern: '^[\\w-]{14}$' },
  },
  'Latchkey-Ignored-Fields': {
    description:
      'With a credential: names of fields that nothing reads, separated by commas, percent-encoded, at most 1 KiB.',
    schema: { type: 'string', maxLength: 1024 },
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer', minimum: 0 } },
  Allow: { description: 'The methods that this path takes.', schema: { type: 'string' } },
};

/** Replies that several operations may share. */
export interface SharedResponses {
  /** Adds a reply with the name that it gets if it is shared (null: never shared); returns its placeholder. */
  add(name: string | null, response: Json): Json;
  /** Puts every reply in its place: a reference if it is shared, else the reply itself. */
  settle(paths: Json): Json;
  /** The shared replies by name; complete once {@link settle} has run. */
  named(): Json;
}

/** Creates an empty collection. */
export function sharedResponses(): SharedResponses {
  interface Entry {
    readonly response: Json;
    uses: number;
    name?: string;
  }
  const entries = new Map<string, Entry>();
  const names = new Set<string>();
  const unused = (name: string): string => {
    let free = name;
    for (let number = 2; names.has(free); number++) free = `${name}${number}`;
    names.add(free);
    return free;
  };
  return {
    add(name, response) {
      if (name === null) return response;
      const key = JSON.stringify(response);
      const entry = entries.get(key) ?? { response, uses: 0 };
      entry.uses++;
      // A reply gets its name at its second use, because a reply used once needs no name.
      if (entry.uses === 2) entry.name = unused(name);
      entries.set(key, entry);
      return response;
    },
    settle: (paths) =>
      mapValues(paths, (item) =>
        mapValues(item, (operation) => ({
          ...operation,
          responses: mapValues(operation.responses as Json, (response) => {
            const entry = entries.get(JSON.stringify(response));
            return entry?.name === undefined ? response : { $ref: `#/components/responses/${entry.name}` };
          }),
        })),
      ),
    named: () =>
      Object.fromEntries(
        [...entries.values()].flatMap(({ name, response }) => (name === undefined ? [] : [[name, response]])),
      ),
  };
}

/**
 * The refusals of an operation: by status if they concern the request itself, and as `default` if any request can meet
 * them. A header lists, as an enum, the codes that a status can mean.
 */
export function refusalResponses(
  endpoint: DescribedEndpoint,
  method: Method,
  shared: SharedResponses,
  schemas: Schemas,
): Json {
  const byStatus = Map.groupBy(answerableBy(endpoint, method), ({ status }) => status);
  const ofAll: AnswerableRefusal[] = [];
  const responses: Record<string, Json> = {};
  for (const [status, refusals] of byStatus) {
    // Every operation lists its 400, so that each has a refusal of its own.
    const isOfAll = refusals.every(({ from }) => from === 'transport' || (status >= 500 && from === 'request'));
    if (status !== 400 && isOfAll) ofAll.push(...refusals);
    else
      responses[status] = shared.add(
        sharedName(endpoint, method, status, refusals),
        refusalResponse(endpoint, refusals, MAY_PASS.has(status) ? ['Retry-After'] : [], schemas),
      );
  }
  responses.default = shared.add(
    `${prefixOf(endpoint)}${endpoint.access === 'client' ? 'Client' : ''}Transport${ofAll.some(({ status }) => status === 403) ? 'OrPeer' : ''}`,
    refusalResponse(endpoint, ofAll, ['Allow', 'Retry-After'], schemas),
  );
  return responses;
}

function refusalResponse(
  endpoint: DescribedEndpoint,
  refusals: readonly AnswerableRefusal[],
  more: readonly string[],
  schemas: Schemas,
): Json {
  const headers = ['X-Request-Id', ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    description: meaning(refusals),
    headers: {
      'Latchkey-Code': { schema: { type: 'string', enum: codesOf(refusals) } },
      ...Object.fromEntries(headers),
    },
    content: { 'application/json': { schema: bodySchema(endpoint, refusals, schemas) } },
  };
}

/** The codes of refusals, without duplicates. */
function codesOf(refusals: readonly AnswerableRefusal[]): readonly string[] {
  return [...new Set(refusals.map(({ code }) => code))];
}

/** The body of refusals; a refusal with further fields is an alternative form. */
function bodySchema(endpoint: DescribedEndpoint, refusals: readonly AnswerableRefusal[], schemas: Schemas): Json {
  const error = { $ref: `${SCHEMA_PREFIX}${errorName(endpoint)}` };
  const fuller = refusals.flatMap(({ refused, code }) => {
    const fields = endpoint.refusalFields?.[refused];
    return fields === undefined ? [] : [{ allOf: [error, schemas.refer(pascal(code), fields)] }];
  });
  return fuller.length === 0 ? error : { anyOf: [...fuller, error] };
}

/** The name of the schema of an endpoint's error bodies. */
export function errorName({ flag }: DescribedEndpoint): 'Error' | 'CheckError' {
  return flag === 'valid' ? 'CheckError' : 'Error';
}

/**
 * The meanings of the codes of a status. Codes that many operations share are explained only where no other code
 * explains the status.
 */
function meaning(refusals: readonly AnswerableRefusal[]): string {
  const own = refusals.filter(({ from }) => from === 'endpoint');
  const explained = own.length === 0 ? refusals : own;
  const isOneStatus = refusals.every(({ status }) => status === refusals[0]?.status);
  const lines = explained.map(({ code, status, text }) => `- ${isOneStatus ? '' : `${status} `}\`${code}\`: ${text}`);
  const others = refusals.filter((each) => !explained.includes(each)).map(({ code }) => `\`${code}\``);
  return [...lines, ...(others.length === 0 ? [] : [`- as everywhere: ${others.join(', ')}`])].join('\n');
}

const prefixOf = ({ flag }: DescribedEndpoint) => (flag === 'valid' ? 'Check' : '');

/** Statuses that may pass by waiting. */
const MAY_PASS = new Set([429, 503]);

/** The name of a reply: the endpoint's own codes, else the status. */
function sharedName(
  endpoint: DescribedEndpoint,
  method: Method,
  status: number,
  refusals: readonly AnswerableRefusal[],
): string {
  const prefix = prefixOf(endpoint);
  const own = refusals.filter(({ from }) => from === 'endpoint');
  const named = own.length > 0 ? own : refusals.length === 1 ? refusals : [];
  if (named.length > 0) return `${prefix}${named.map(({ code }) => pascal(code)).join('Or')}`;
  return `${prefix}${pascal(STATUS_CODES[status] ?? String(status))}${status === 400 ? kindOfFields(endpoint, method) : ''}`;
}

function kindOfFields({ fields, missing }: DescribedEndpoint, method: Method): string {
  if (Object.keys(fields.properties).length === 0) return 'WithoutFields';
  return `${missing === '' ? 'Optional' : ''}${method === 'POST' ? '' : 'Query'}`;
}
