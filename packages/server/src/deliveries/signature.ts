/** Signatures of Standard Webhooks 1.0.0: HMAC-SHA256 of `id.timestamp.body` (rules 12). */
import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
/** The size that the specification recommends for a key. */
export const SECRET_BYTES = 32;

/** The headers that identify and sign a message. */
export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** The text of a secret, as a receiver stores it: `whsec_` and base64. */
export function secretText(key: Uint8Array): string {
  return `${SECRET_PREFIX}${Buffer.from(key).toString('base64')}`;
}

/** The headers of every request beside those of its signature. */
export function plainHeaders(userAgent: string) {
  return { 'content-type': 'application/json', 'user-agent': userAgent };
}

/** The header `webhook-timestamp` of an attempt, whose time is in milliseconds since 1970. */
export function webhookTimestamp(now: number): string {
  return String(Math.floor(now / 1000));
}

/**
 * Signs a message. The header holds one signature per secret, separated by blanks, so that a receiver accepts the
 * message with either secret while a rotation is under way.
 *
 * @param messageId the id of the event; the same at every attempt
 * @param now time of the attempt in milliseconds since 1970
 * @param secrets texts as made by {@link secretText}, the newest first
 */
export function sign(messageId: string, now: number, body: string, secrets: readonly string[]): SignedHeaders {
  const timestamp = webhookTimestamp(now);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
