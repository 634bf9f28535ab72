/**
 * What the admin secret gives rise to (a session of one of the operator's people, the code of a sign-in link) is bound to
 * it: the row holds an HMAC whose key is derived from the secret. So it ends with the secret, and whoever can only write to
 * the database cannot make it up.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * The keys of this installation: one for each admin secret that it accepts, the present one first. They travel to threads
 * in place of the secrets, which cannot be computed from them.
 */
export function deriveBindingKeys(adminSecrets: readonly string[]): readonly Uint8Array[] {
  const purpose = 'latchkey: keys that bind what the console keeps';
  return adminSecrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES)));
}

/** The binding of some facts to one of the secrets, as base64url text. */
export function bindingOf(key: Uint8Array, facts: readonly (string | null)[]): string {
  return createHmac('sha256', key).update(JSON.stringify(facts)).digest('base64url');
}

/**
 * Which of the keys binds these facts: its index, or null when none does.
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
