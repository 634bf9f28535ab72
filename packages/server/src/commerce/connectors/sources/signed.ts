/** The common parts of sellers' signatures (the rules of each seller are in its own file). */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Delivery, Rejection } from './source.ts';

/** The greatest age of a signature, either way. */
const MAX_AGE_SECONDS = 300;

/** The only value of a header, which must not be empty. */
export function soleHeader(
  { headers }: Delivery,
  name: string,
): { readonly value: string } | { readonly rejection: Rejection } {
  const values = headers[name] ?? [];
  if (values.length > 1) return { rejection: 'signature_repeated' };
  const [value = ''] = values;
  return value === '' ? { rejection: 'signature_missing' } : { value };
}

/** The HMAC-SHA256 of texts and bytes in a row. */
export function hmac(key: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made.digest();
}

/** Whether any of the given signatures is one of the expected texts; compares all of them, in constant time. */
export function anyMatches(given: readonly string[], expected: readonly string[]): boolean {
  let matches = false;
  for (const each of given) for (const other of expected) matches = isSame(each, other) || matches;
  return matches;
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The values of `name=value` in a header that consists of such parts. */
export function partsOf(header: string, separator: ',' | ';', name: string): readonly string[] {
  const parts = header.split(separator);
  return parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
}

/** Checks the age of a signature, whose time is a text of whole seconds. */
export function ageRejection(seconds: string, now: number): Rejection | null {
  if (!/^\d{1,12}$/.test(seconds)) return 'signature_malformed';
  const age = Math.floor(now / 1000) - Number(seconds);
  if (age > MAX_AGE_SECONDS) return 'too_old';
  return age < -MAX_AGE_SECONDS ? 'too_new' : null;
}

/** The secrets that can sign: an empty one signs nothing. */
export function usable(secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => secret !== '');
}

/** An id for events of sellers without one. */
export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const joined = Buffer.concat(parts.flatMap((part) => [Buffer.from(part), Buffer.of(0)]));
  return `sha256:${hash('sha256', joined)}`;
}

/** Checks a header that holds the HMAC of the body and nothing else. */
export function bodyRejection(
  delivery: Delivery,
  header: string,
  encoding: 'hex' | 'base64',
  secrets: readonly string[],
): Rejection | null {
  const keys = usable(secrets);
  if (keys.length === 0) return 'no_secret';
  const signature = soleHeader(delivery, header);
  if ('rejection' in signature) return signature.rejection;
  const form = encoding === 'hex' ? /^[0-9a-f]{64}$/ : /^[A-Za-z0-9+/]{43}=$/;
  if (!form.test(signature.value)) return 'signature_malformed';
  const expected = keys.map((key) => hmac(key, delivery.body).toString(encoding));
  return anyMatches([signature.value], expected) ? null : 'signature_wrong';
}
