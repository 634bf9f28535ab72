/**
 * Lets pages of other origins read the replies meant for apps (rules 11.4): the endpoints that apps call and the public
 * keys, nothing else. No reply allows a browser to send cookies along, and none of these endpoints accepts the
 * console's cookie. So a page learns only facts that its user has given it.
 */
import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';

/** Headers, alternating names and values. */
type Headers = readonly string[];

/** Computes the CORS headers of a reply. */
export interface Cors {
  /** Headers of every reply to a request; empty if the page may not read it. */
  headersFor(request: IncomingMessage, path: string, endpoint: Endpoint | null): Headers;
  /** Headers of the reply to a preflight request; null if it is not a preflight, or not allowed. */
  preflightHeadersFor(request: IncomingMessage, path: string, endpoint: Endpoint | null): Headers | null;
}

const NONE: Headers = [];
/** Headers that a page may read besides the body. */
const EXPOSED = [
  'Access-Control-Expose-Headers',
  'Retry-After, Date, Latchkey-Code, X-Request-Id, Latchkey-Request-Id',
] as const;
const PREFLIGHT_SECONDS = 86_400;

const NO_CORS: Cors = { headersFor: () => NONE, preflightHeadersFor: () => null };

/** @param origins allowed origins; `*` allows all, null none */
export function createCors(origins: ReadonlySet<string> | '*' | null): Cors {
  if (origins === null) return NO_CORS;

  /** The header that names the allowed origin; empty if no origin is allowed. */
  function allowedOrigin(request: IncomingMessage, path: string, endpoint: Endpoint | null): Headers {
    if (endpoint === null ? !path.startsWith('/.well-known/') : endpoint.access !== 'client') return NONE;
    if (origins === '*') return ['Access-Control-Allow-Origin', '*'];
    const { origin } = request.headers;
    // Sent with refusals as well, because a cache must not reuse one origin's reply for another.
    const vary = ['Vary', 'Origin'];
    if (origin === undefined || !origins?.has(origin)) return vary;
    return [...vary, 'Access-Control-Allow-Origin', origin];
  }

  return {
    headersFor(request, path, endpoint) {
      const headers = allowedOrigin(request, path, endpoint);
      return headers.includes('Access-Control-Allow-Origin') ? [...headers, ...EXPOSED] : headers;
    },
    preflightHeadersFor(request, path, endpoint) {
      if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return null;
      const headers = allowedOrigin(request, path, endpoint);
      if (!headers.includes('Access-Control-Allow-Origin')) return null;
      return [
        ...headers,
        'Access-Control-Allow-Methods',
        endpoint === null ? 'GET' : endpoint.methods.join(', '),
        'Access-Control-Allow-Headers',
        'content-type',
        'Access-Control-Max-Age',
        String(PREFLIGHT_SECONDS),
      ];
    },
  };
}
