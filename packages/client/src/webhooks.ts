/**
 * `@latchkey/client/webhooks`: verifies the events that a Latchkey server sends (Standard Webhooks 1.0.0). It runs on
 * every platform with WebCrypto and has no dependencies.
 */

import type { OutboundEvent } from './contract.ts';

export type { OutboundEvent, OutboundLicense, OutboundType } from './contract.ts';

/** The first failed check, in the order of the checks. */
export type BadEventReason = 'headers' | 'timestamp' | 'signature' | 'body';

/** The message is not an event that this server sent now. */
export class BadEvent extends Error {
  override readonly name = 'BadEvent';
  readonly reason: BadEventReason;

  constructor(reason: BadEventReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The headers of a request: a `Headers`, or an object as Node.js has it. */
export type EventHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Maximum difference between the time of the message and this clock, in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970; the present time by default. */
  readonly now?: number;
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies an event and returns it. Rejects with {@link BadEvent}. `id` is the same at every attempt: act on it once. A
 * newer server sends further types and fields as well: ignore what you do not know.
 *
 * @param body the raw body of the request, exactly as received, before any parser of JSON
 * @param secrets `whsec_...`; several while a secret is being replaced
 */
export async function verifyEvent(
  body: string | Uint8Array,
  headers: EventHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<OutboundEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, name));
  if (!id || !timestamp || !signatures)
    throw new BadEvent('headers', 'webhook-id, -timestamp or -signature is missing');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new BadEvent('timestamp', 'the message is too old, too new, or a clock is wrong');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array([...new TextEncoder().encode(`${id}.${timestamp}.`), ...bytes]);
  const given = signatures.split(' ').filter((each) => each.startsWith('v1,'));
  let isSigned = false;
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const bytes = fromBase64(secret.replace(/^whsec_/, ''));
    if (!bytes?.length) continue;
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const each of given) {
      const signature = fromBase64(each.slice('v1,'.length));
      // `verify` compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) isSigned = true;
    }
  }
  if (!isSigned) throw new BadEvent('signature', 'no signature fits the secret');
  try {
    const event: unknown = JSON.parse(text);
    if (isEvent(event)) return event;
  } catch {
    // Answered below.
  }
  throw new BadEvent('body', 'the body is not an event');
}

function isEvent(value: unknown): value is OutboundEvent {
  const { id, type, timestamp, data } = (value ?? {}) as Partial<OutboundEvent>;
  return [id, type, timestamp].every((each) => typeof each === 'string') && typeof data === 'object' && data !== null;
}

function headerOf(headers: EventHeaders, name: string): string | null {
  const full = `webhook-${name}`;
  if (typeof headers.get === 'function') return headers.get(full);
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === full) ?? [];
  return typeof value === 'string' ? value : null;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
