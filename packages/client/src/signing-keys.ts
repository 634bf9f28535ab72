/**
 * Delivers new signing keys to apps that were built before them. The service publishes lists of its keys, each signed
 * by an older key, so that a compiled-in key leads to all later ones. The client stores the signed lists, never bare
 * keys, because a user could add keys by editing the state.
 */
import { type PublicKey, type VerifySignature, verifyJws } from './license-file.ts';

/** Maximum number of lists that are examined. */
const MAX_LISTS = 16;

/**
 * Every key that the signed lists lead to, the compiled-in ones first.
 *
 * @param lists compact JWS, in any order; lists that are not genuine are ignored
 * @param stolen ids of keys that are ignored in all lists
 * @returns the keys, and the lists that led to them
 */
export async function followKeyLists(
  compiledIn: readonly PublicKey[],
  issuer: string,
  lists: readonly string[],
  verifySignature: VerifySignature,
  stolen: readonly string[] = [],
): Promise<{ readonly keys: readonly PublicKey[]; readonly lists: readonly string[] }> {
  const keys = [...compiledIn];
  const used: string[] = [];
  let open = lists.slice(0, MAX_LISTS);
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    const left: string[] = [];
    for (const list of open) {
      const listed = await keysIn(list, keys, issuer, verifySignature);
      if (listed === null) left.push(list);
      else {
        const fresh = listed.filter(({ kid }) => !stolen.includes(kid) && !keys.some((known) => known.kid === kid));
        keys.push(...fresh);
        if (fresh.length > 0) used.push(list);
      }
    }
    open = left;
  }
  return { keys, lists: used };
}

/** The keys of a list that is signed by one of the known keys; null if it is not genuine, or not yet known to be. */
async function keysIn(
  list: string,
  publicKeys: readonly PublicKey[],
  issuer: string,
  verifySignature: VerifySignature,
): Promise<PublicKey[] | null> {
  try {
    const { iss, keys } = await verifyJws(list, 'latchkey-keys+jwt', { publicKeys, verifySignature });
    if (iss !== issuer || !Array.isArray(keys)) return null;
    return keys
      .filter((key) => typeof key?.kid === 'string' && typeof key?.x === 'string')
      .map(({ kid, x }) => ({ kid, x }));
  } catch {
    return null;
  }
}
