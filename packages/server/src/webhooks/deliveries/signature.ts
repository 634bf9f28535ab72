/** Signatures of Standard Webhooks 1.0.0: HMAC-SHA256 of `id.timestamp.body` (rules 12). */
import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** The headers that identify and sign a message. */
export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
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
 * @param secrets `whsec_` and base64, the newest first
 */
export function sign(messageId: string, now: number, body: string, secrets: readonly string[]): SignedHeaders {
  const timestamp = webhookTimestamp(now);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
