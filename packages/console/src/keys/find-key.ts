/** Finds the owner of a key by the key's hash, which the service indexes. */
import { call } from '../api/call.ts';
import type { ApiKey, OperatorKey } from '../api/contract.ts';

export type FoundKey =
  | { readonly kind: 'api'; readonly key: ApiKey }
  | { readonly kind: 'people'; readonly key: OperatorKey };

/**
 * The key with this hash, active or revoked; null if the service has none.
 *
 * @param hash as made by {@link hashOfKey} of hash.ts
 * @throws {Refusal} if the service refuses the search
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
