/**
 * Lets pages of other origins read what the service answers to apps (rules 11.4): the endpoints that apps call and the
 * public keys, and nothing else. No answer lets a browser send cookies along, and no endpoint of these takes the console's, so
 * that a page learns nothing that its user has not given it.
 */
import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '../endpoint/endpoint.ts';

/** Headers, name and value in turn. */
type Headers = readonly string[];

/** Says what headers an answer needs beside its own. */
export interface Cors {
  /** Headers of every answer to a request; none where the page may not read it. */
  headersFor(request: IncomingMessage, path: string, endpoint: Endpoint | undefined): Headers;
  /** Headers of the answer to a browser that asks whether a page may send a request; null where it asks nothing of it. */
  preflightHeadersFor(request: IncomingMessage, path: string, endpoint: Endpoint | undefined): Headers | null;
}

const NONE: Headers = [];
/** What a page may read beside the body. */
const EXPOSED = ['Access-Control-Expose-Headers', 'Retry-After, Date, Latchkey-Code, X-Request-Id'] as const;
const PREFLIGHT_SECONDS = 86_400;

const NO_CORS: Cors = { headersFor: () => NONE, preflightHeadersFor: () => null };

/** @param origins of the pages that may; `*` is all, null is none */
export function createCors(origins: ReadonlySet<string> | '*' | null): Cors {
  if (origins === null) return NO_CORS;

  /** Which origin the answer names; nothing where it names none. */
  function allowedOrigin(request: IncomingMessage, path: string, endpoint: Endpoint | undefined): Headers {
    if (endpoint === undefined ? !path.startsWith('/.well-known/') : endpoint.access !== 'client') return NONE;
    if (origins === '*') return ['Access-Control-Allow-Origin', '*'];
    const { origin } = request.headers;
    // Said of refusals as well: a cache must not keep for one origin what was answered to another.
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
        endpoint === undefined ? 'GET' : endpoint.methods.join(', '),
        'Access-Control-Allow-Headers',
        'content-type',
        'Access-Control-Max-Age',
        String(PREFLIGHT_SECONDS),
      ];
    },
  };
}
