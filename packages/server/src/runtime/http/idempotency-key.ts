/** Reads the header `Idempotency-Key` (rules 9). */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Idempotency } from '../dispatch/call.ts';

/**
 * The key with a hash of the request, so that it cannot be reused for a different one; null without a key.
 *
 * @param url with the query
 */
export function readIdempotency(headers: IncomingHttpHeaders, url: string, body: string): Idempotency | Refusal | null {
  const key = headers['idempotency-key'];
  if (key === undefined || key === '') return null;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    return refuse('invalid_field', {
      details: { message: 'Idempotency-Key must be 1 to 255 visible ASCII characters' },
    });
  return { key, requestHash: createHash('sha256').update(`${url}\n${body}`).digest('base64url') };
}
