/**
 * Calls with a replaced key that are decided on the license that took its place (rules 3.5). The session token of the
 * machine proves that the caller is a machine of the license: whoever holds only the old key never learns the new one.
 */
import type { Sql } from '../../storage/contract/storage.ts';
import type { UsedLicense } from '../licenses/license.ts';
import { listLicensesInForce } from '../licenses/replacement.ts';
import type { MachineOfLicense } from '../machines/activation-store.ts';
import { isOfLicense, isOfMachine } from '../session-tokens/token.ts';
import type { TokenKeys } from '../session-tokens/token-keys.ts';

/** A call of a machine that may follow its license to another key. */
export interface FollowingCall extends MachineOfLicense {
  readonly token: string | undefined;
  readonly acceptsReplacement: boolean;
  readonly requestContext: { readonly now: number };
}

/** Whether the token of a call is that of its machine and of the license that it names. */
function provesMachine({ token, licenseKey, fingerprint, requestContext }: FollowingCall, tokenKeys: TokenKeys) {
  const claims = token === undefined ? null : tokenKeys.check(token, requestContext.now);
  return claims !== null && isOfLicense(claims, licenseKey) && isOfMachine(claims, fingerprint);
}

/**
 * The calls, those that follow with the key in force in place of their own. Reads nothing while no call names a
 * replaced key.
 *
 * @param licenseOf the locked license of a key
 */
export async function followReplacements<Call extends FollowingCall>(
  sql: Sql,
  calls: readonly Call[],
  licenseOf: (licenseKey: string) => UsedLicense | undefined,
  tokenKeys: TokenKeys,
): Promise<readonly Call[]> {
  const following = calls.filter(
    (call) =>
      call.acceptsReplacement &&
      licenseOf(call.licenseKey)?.revocation === 'replaced' &&
      provesMachine(call, tokenKeys),
  );
  if (following.length === 0) return calls;
  const replacedKeys = [...new Set(following.map(({ licenseKey }) => licenseKey))];
  const inForce = await listLicensesInForce(sql, replacedKeys);
  const keys = new Map(replacedKeys.map((licenseKey, index) => [licenseKey, inForce[index]?.licenseKey ?? licenseKey]));
  return calls.map((call) =>
    following.includes(call) ? { ...call, licenseKey: keys.get(call.licenseKey) ?? call.licenseKey } : call,
  );
}
