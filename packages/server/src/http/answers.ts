/** Writes answers: JSON with the security headers that every answer carries. */
import type { ServerResponse } from 'node:http';
import type { Outcome } from '../dispatch/call.ts';

/**
 * Answers hold license data and sometimes tokens: nothing may keep, sniff, frame or send them on. The page at /docs has
 * a policy of its own.
 */
const SECURITY_HEADERS = [
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  'Strict-Transport-Security',
  'max-age=31536000',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
] as const;

/** Sends an outcome. `more` are further headers, name and value in turn. */
export function sendOutcome(
  response: ServerResponse,
  outcome: Pick<Outcome, 'status' | 'body' | 'retryAfterSeconds'>,
  requestId: string,
  more: readonly string[] = [],
): void {
  const headers: (string | number)[] = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    Buffer.byteLength(outcome.body),
    'X-Request-Id',
    requestId,
    ...SECURITY_HEADERS,
    ...more,
  ];
  if (outcome.retryAfterSeconds !== undefined) headers.push('Retry-After', outcome.retryAfterSeconds);
  if (outcome.status === 401) headers.push('WWW-Authenticate', 'Bearer');
  response.writeHead(outcome.status, headers as string[]);
  response.end(outcome.body);
}

/** Sends a document of another kind, such as the reference page. */
export function sendDocument(
  response: ServerResponse,
  document: { readonly contentType: string; readonly body: string; readonly contentSecurityPolicy: string },
  requestId: string,
): void {
  response.writeHead(200, {
    'Content-Type': document.contentType,
    'Content-Length': Buffer.byteLength(document.body),
    'X-Request-Id': requestId,
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Strict-Transport-Security': 'max-age=31536000',
    'Content-Security-Policy': document.contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
  });
  response.end(document.body);
}
