/** One-time codes of sign-in links: a caller who opens the link is signed in as the owner (rules 5.4). */
import { DAY_MS, fromTimestamp, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { mintSecret } from '../../ground/base/random.ts';
import { hashApiKey } from '../../platform/endpoint/caller.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { bindingOf, indexOfBinding } from './binding.ts';
import { deleteCodesBeyond, insertCode, type SignInCode, takeSignInTurn } from './sign-in-store.ts';

/** Lifetime of a link. */
const LIFETIME_MS = 5 * MINUTE_MS;
/** Maximum number of open links; another one replaces the oldest. */
const MAX_CODES = 20;
const CODE_BYTES = 32;

/**
 * Creates a code.
 *
 * @param now milliseconds since 1970
 * @param bindingKeys from access/console/binding.ts; the code is bound to the first
 * @returns the raw code, shown only this once
 */
export async function makeSignInCode(tx: Tx, now: number, bindingKeys: readonly Uint8Array[]): Promise<string> {
  const [key] = bindingKeys;
  if (key === undefined) throw new Error('a sign-in link is bound to a secret that there is');
  const code = mintSecret(CODE_BYTES);
  const hash = hashApiKey(code);
  const expiresAt = toTimestamp(now + LIFETIME_MS);
  await takeSignInTurn(tx, toTimestamp(now));
  await deleteCodesBeyond(tx, MAX_CODES - 1);
  await insertCode(tx, { hash, binding: bindingOf(key, [hash, expiresAt]), expiresAt });
  return code;
}

/**
 * Index of the admin secret that a valid code stands for; null for an invalid code. A code made more than a day from
 * now came from a clock that was ahead; otherwise it would stay valid until that time comes.
 *
 * @param now the time by which sessions end (believed-time/), in milliseconds since 1970
 */
export function secretIndexOf(code: SignInCode, now: number, bindingKeys: readonly Uint8Array[]): number | null {
  const expiresAt = fromTimestamp(code.expiresAt);
  if (now >= expiresAt || expiresAt > now + DAY_MS + LIFETIME_MS) return null;
  return indexOfBinding(bindingKeys, [code.hash, code.expiresAt], code.binding);
}

/** The console's address with a sign-in link: the code is in the fragment, which browsers never send. */
export function linkOfCode(serviceUrl: string, code: string): string {
  return `${serviceUrl}/console/#/sign-in?code=${code}`;
}
