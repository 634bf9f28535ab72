/** Writes replies: JSON with the security headers that all replies share. */
import type { ServerResponse } from 'node:http';
import { STATUS_CODES } from '../../ground/base/node-http.ts';
import { formFor, isKept } from '../../ground/base/shared-text.ts';
import { type Outcome, outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { codeOf, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { DocumentText, SiteAnswer } from '../../platform/sites/answer.ts';
import { PIECE_BYTES, type UnsentAnswers } from './unsent-answers.ts';

/**
 * Replies contain license data and sometimes tokens, so they must not be cached, sniffed, framed or forwarded. The page
 * at /docs has its own policy.
 */
const SECURITY_HEADERS = [
  ...['Cache-Control', 'no-store'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
];

const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/**
 * Time that a connection may wait for its next request: longer than the usual minute of load balancers, so that they,
 * not we, close idle connections.
 */
export const KEEP_ALIVE_MS = 75_000;

const OF_OPEN_CONNECTION = [...STRICT_TRANSPORT, 'Keep-Alive', `timeout=${KEEP_ALIVE_MS / 1000}`] as const;

/** Headers of every JSON reply. Each reply copies the list and fills in its length and its request id. */
const JSON_HEADERS: readonly string[] = [
  ...['Content-Type', 'application/json; charset=utf-8'],
  ...['Content-Length', ''],
  ...['X-Request-Id', ''],
  ...SECURITY_HEADERS,
];
const LENGTH_PLACE = JSON_HEADERS.indexOf('Content-Length') + 1;
const REQUEST_ID_PLACE = JSON_HEADERS.indexOf('X-Request-Id') + 1;
const JSON_ON_OPEN_CONNECTION: readonly string[] = [...JSON_HEADERS, ...OF_OPEN_CONNECTION];
const JSON_ON_LAST_REPLY: readonly string[] = [...JSON_HEADERS, ...STRICT_TRANSPORT];

/** Carries the machine-readable code of each refusal. */
const CODE_HEADER = 'Latchkey-Code';

/**
 * Sends an outcome.
 *
 * @param more additional headers, alternating names and values
 * @param unsent counts a long reply until it has been flushed, and sends it in pieces; omitted where no reply is long
 * @param address of the client; null when unknown
 */
export function sendOutcome(
  response: ServerResponse,
  outcome: Pick<Outcome, 'status' | 'body' | 'retryAfterSeconds' | 'refused'>,
  requestId: string,
  more: readonly string[] = [],
  unsent?: UnsentAnswers,
  address: string | null = null,
): void {
  const { body } = outcome;
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const headers = (response.shouldKeepAlive ? JSON_ON_OPEN_CONNECTION : JSON_ON_LAST_REPLY).slice();
  headers[LENGTH_PLACE] = String(bytes);
  headers[REQUEST_ID_PLACE] = requestId;
  if (more.length > 0) headers.push(...more);
  if (outcome.refused !== undefined) headers.push(CODE_HEADER, codeOf(outcome.refused));
  if (outcome.retryAfterSeconds !== undefined) headers.push('Retry-After', String(outcome.retryAfterSeconds));
  if (outcome.status === 401) headers.push('WWW-Authenticate', 'Bearer');
  response.writeHead(outcome.status, headers);
  if (bytes > PIECE_BYTES && unsent !== undefined)
    unsent.send(response, { body: typeof body === 'string' ? Buffer.from(body) : body, isShared: false, address });
  else if (typeof body !== 'string') response.end(body);
  // ASCII text has the same bytes in both encodings, and node writes latin1 faster.
  else response.end(body, bytes === body.length ? 'latin1' : 'utf8');
}

/**
 * A refusal as raw bytes, for a connection that ends because no request could be read from it. `more` holds additional
 * headers, alternating names and values.
 */
export function rawRefusal(refused: RefusalCode, requestId: string, more: readonly string[] = []): string {
  const { status, body } = outcomeOfRefusal(refuse(refused), 'success');
  const headers = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    Buffer.byteLength(body),
    'Connection',
    'close',
    'X-Request-Id',
    requestId,
    CODE_HEADER,
    codeOf(refused),
    ...SECURITY_HEADERS,
    // This header must not be sent over plain HTTP (RFC 6797, section 7.2).
    ...(refused === 'https_required' ? [] : STRICT_TRANSPORT),
    ...more,
  ];
  const lines = headers.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`;
}

/** Sends a reply without a body. `more` holds additional headers, alternating names and values. */
export function sendEmpty(response: ServerResponse, requestId: string, more: readonly string[]): void {
  response.writeHead(204, ['X-Request-Id', requestId, ...SECURITY_HEADERS, ...connectionHeadersOf(response), ...more]);
  response.end();
}

/**
 * Sends a document that is not an API reply; the reference page is one. The parameters are those of {@link
 * sendOutcome}.
 *
 * @returns the status: 304 if the client has the bytes
 */
export function sendDocument(
  response: ServerResponse,
  document: DocumentText,
  requestId: string,
  more: readonly string[],
  unsent: UnsentAnswers,
  address: string | null,
): number {
  const asked = response.req.headers;
  const form = formFor(document.text, asked['accept-encoding']);
  const { encoding, body, etag } = form;
  const status = isKept(form, asked['if-none-match']) ? 304 : 200;
  const headers = [
    'Content-Type',
    document.contentType,
    ...(status === 304 ? [] : ['Content-Length', String(body.length)]),
    'X-Request-Id',
    requestId,
    'Cache-Control',
    document.cacheControl ?? 'no-cache',
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    document.contentSecurityPolicy,
    'Referrer-Policy',
    'no-referrer',
    ...connectionHeadersOf(response),
    ...(document.text.length > 1 ? ['Vary', 'Accept-Encoding'] : []),
    ...(encoding === null ? [] : ['Content-Encoding', encoding]),
    ...(etag === null ? [] : ['ETag', etag]),
    ...more,
  ];
  response.writeHead(status, headers);
  if (status === 304) response.end();
  else unsent.send(response, { body, isShared: true, address });
  return status;
}

/** Sends an answer of a site. The parameters are those of {@link sendOutcome}. */
export function sendSiteAnswer(
  response: ServerResponse,
  { status, headers, body }: SiteAnswer,
  requestId: string,
  unsent: UnsentAnswers,
  address: string | null,
): void {
  const isShared = typeof body !== 'string';
  const bytes = isShared ? body : Buffer.from(body);
  const length = status === 304 ? [] : ['Content-Length', String(bytes.length)];
  response.writeHead(status, [...headers, ...length, 'X-Request-Id', requestId, ...connectionHeadersOf(response)]);
  if (status === 304) response.end();
  else unsent.send(response, { body: bytes, isShared, address });
}

/** Headers about the connection. One that stays open announces how long it waits for the next request. */
function connectionHeadersOf(response: ServerResponse): readonly string[] {
  return response.shouldKeepAlive ? OF_OPEN_CONNECTION : STRICT_TRANSPORT;
}
