/** Finds out whose a key is by its hash, going through the lists of keys page by page. */
import { call } from '../api/call.ts';
import type { ApiKey, OperatorKey } from '../api/contract.ts';

/** Keys of one page of the service. */
const MOST = 1000;
/** Pages that are read at most: a hundred thousand keys. */
const PAGES = 100;

/** A key that was found. */
export type FoundKey =
  | { readonly kind: 'api'; readonly key: ApiKey }
  | { readonly kind: 'people'; readonly key: OperatorKey };

/**
 * The key with this hash; null where the service knows none.
 *
 * @throws {Refusal} where a list cannot be read
 */
export async function findKey(hash: string): Promise<FoundKey | null> {
  const key = await findIn(
    (cursor) => call('/listApiKeys', { limit: MOST, ...cursor }),
    (each) => each.hash === hash,
  );
  if (key !== undefined) return { kind: 'api', key };
  const ofPeople = await findIn(
    (cursor) => call('/listOperatorKeys', { limit: MOST, ...cursor }),
    (each) => each.keyHash === hash,
  );
  return ofPeople === undefined ? null : { kind: 'people', key: ofPeople };
}

async function findIn<Key>(
  read: (cursor: {
    readonly cursor?: string;
  }) => Promise<{ readonly keys: readonly Key[]; readonly nextCursor?: string }>,
  fits: (key: Key) => boolean,
): Promise<Key | undefined> {
  let cursor: { readonly cursor?: string } = {};
  for (let page = 0; page < PAGES; page += 1) {
    const { keys, nextCursor } = await read(cursor);
    const found = keys.find(fits);
    if (found !== undefined || nextCursor === undefined) return found;
    cursor = { cursor: nextCursor };
  }
  return undefined;
}
