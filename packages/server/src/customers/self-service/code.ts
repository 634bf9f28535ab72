/**
 * Mailed codes. A code is an HMAC over the id of its request, so it is stored nowhere, and an e-mail that is sent twice
 * has the same code.
 */

import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { UNAMBIGUOUS_ALPHABET } from '../../ground/base/random.ts';
import { foldKey } from '../../ground/base/typed-text.ts';

const KEY_BYTES = 32;
const LENGTH = 8;
const POSSIBLE_CODES = BigInt(UNAMBIGUOUS_ALPHABET.length) ** BigInt(LENGTH);

/** The key of this installation's codes, derived from its secrets key. */
export function deriveCodeKey(secretsKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretsKey, '', 'latchkey: codes for customers', KEY_BYTES));
}

/** The code of a request: 8 unambiguous characters, such as `K7QW2MNP`. */
export function codeOfRequest(key: Uint8Array, requestId: string): string {
  const digest = createHmac('sha256', key).update(requestId).digest('hex');
  let rest = BigInt(`0x${digest}`) % POSSIBLE_CODES;
  let code = '';
  for (let place = 0; place < LENGTH; place++) {
    code += UNAMBIGUOUS_ALPHABET[Number(rest % BigInt(UNAMBIGUOUS_ALPHABET.length))];
    rest /= BigInt(UNAMBIGUOUS_ALPHABET.length);
  }
  return code;
}

/** A code as people read it: `K7QW-2MNP`. */
export function shownCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/**
 * Whether a person typed this code. Case, spaces, dashes and marks around it do not matter. Takes the same time for
 * every wrong code.
 */
export function isCode(typed: string, code: string): boolean {
  const normal = foldKey(typed).replaceAll('-', '');
  return timingSafeEqual(hash('sha256', normal, 'buffer'), hash('sha256', code, 'buffer'));
}
