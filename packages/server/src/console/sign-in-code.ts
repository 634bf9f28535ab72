/** One-time codes of sign-in links: whoever opens the link is signed in as the owner (rules 5.4). */
import { DAY_MS, fromTimestamp, MINUTE_MS, toTimestamp } from '../clock.ts';
import { hashApiKey } from '../endpoint/caller.ts';
import { mintSecret } from '../random.ts';
import type { Tx } from '../storage/storage.ts';
import { bindingOf, indexOfBinding } from './binding.ts';
import { deleteCodesBeyond, insertCode, takeSignInTurn } from './sign-in-store.ts';

/** How long a link may be opened. */
const LIFETIME_MS = 5 * MINUTE_MS;
/** Links that can be open at once; another one takes the place of the oldest. */
const MOST_CODES = 20;
const CODE_BYTES = 32;

/** A code as it is stored; the code itself is not kept anywhere. */
export interface SignInCode {
  /** See hashApiKey in endpoint/caller.ts. */
  readonly hash: string;
  readonly binding: string;
  readonly expiresAt: string;
}

/**
 * Makes a code.
 *
 * @param now milliseconds since 1970
 * @param bindingKeys from console/binding.ts; it is bound to the first
 * @returns the code, which is shown this once
 */
export async function makeSignInCode(tx: Tx, now: number, bindingKeys: readonly Uint8Array[]): Promise<string> {
  const [key] = bindingKeys;
  if (key === undefined) throw new Error('a sign-in link is bound to a secret that there is');
  const code = mintSecret(CODE_BYTES);
  const hash = hashApiKey(code);
  const expiresAt = toTimestamp(now + LIFETIME_MS);
  await takeSignInTurn(tx, toTimestamp(now));
  await deleteCodesBeyond(tx, MOST_CODES - 1);
  await insertCode(tx, { hash, binding: bindingOf(key, [hash, expiresAt]), expiresAt });
  return code;
}

/**
 * Which admin secret a code stands for, while it is good; else null. One that was made more than a day from now was made by a
 * clock that was ahead, and would be good until that time comes.
 *
 * @param now the time by which sessions end (believed-time/), in milliseconds since 1970
 */
export function secretIndexOf(code: SignInCode, now: number, bindingKeys: readonly Uint8Array[]): number | null {
  const expiresAt = fromTimestamp(code.expiresAt);
  if (now >= expiresAt || expiresAt > now + DAY_MS + LIFETIME_MS) return null;
  return indexOfBinding(bindingKeys, [code.hash, code.expiresAt], code.binding);
}

/** The address of the console with a sign-in link: the code stands in the fragment, which browsers send to nobody. */
export function linkOfCode(serviceUrl: string, code: string): string {
  return `${serviceUrl}/console/#/sign-in?code=${code}`;
}
