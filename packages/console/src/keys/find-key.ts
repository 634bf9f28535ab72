/** Finds out whose a key is by its hash, of which the service has an index. */
import { call } from '../api/call.ts';
import type { ApiKey, OperatorKey } from '../api/contract.ts';

/** A key that was found. */
export type FoundKey =
  | { readonly kind: 'api'; readonly key: ApiKey }
  | { readonly kind: 'people'; readonly key: OperatorKey };

/**
 * The key with this hash, active or revoked; null where the service has none.
 *
 * @param hash as {@link hashOfKey} of hash.ts makes it
 * @throws {Refusal} where the service refuses to look
 */
export async function findKey(hash: string): Promise<FoundKey | null> {
  const [ofCreators, ofPeople] = await Promise.all([
    call('/listApiKeys', { hash }),
    call('/listOperatorKeys', { hash }),
  ]);
  const [apiKey] = ofCreators.keys;
  if (apiKey !== undefined) return { kind: 'api', key: apiKey };
  const [operatorKey] = ofPeople.keys;
  return operatorKey === undefined ? null : { kind: 'people', key: operatorKey };
}
