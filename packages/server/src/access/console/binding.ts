/**
 * Binds rows that the admin secret authorised (an operator's session, the code of a sign-in link) to that secret: the
 * row stores an HMAC whose key is derived from it. So a row becomes invalid with its secret, and an attacker who can
 * only write to the database cannot forge one.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * The keys of this installation: one for each accepted admin secret, the present one first. Threads receive them in
 * place of the secrets, which cannot be computed from them.
 */
export function deriveBindingKeys(adminSecrets: readonly string[]): readonly Uint8Array[] {
  const purpose = 'latchkey: keys that bind what the console keeps';
  return adminSecrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES)));
}

/** The binding of some facts to one of the secrets, in base64url. */
export function bindingOf(key: Uint8Array, facts: readonly (string | null)[]): string {
  return createHmac('sha256', key).update(JSON.stringify(facts)).digest('base64url');
}

/**
 * The index of the key that binds these facts; null without one.
 *
 * @param keys from {@link deriveBindingKeys}
 */
export function indexOfBinding(
  keys: readonly Uint8Array[],
  facts: readonly (string | null)[],
  binding: string,
): number | null {
  const shown = Buffer.from(binding);
  const index = keys.findIndex((key) => {
    const expected = Buffer.from(bindingOf(key, facts));
    return expected.length === shown.length && timingSafeEqual(expected, shown);
  });
  return index === -1 ? null : index;
}
