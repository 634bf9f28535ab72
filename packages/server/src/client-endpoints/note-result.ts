/** Reports the result of a client call to the statistics and to support (rules 10.8, 10.9). */
import type { Reply, RequestContext } from '../endpoint/endpoint.ts';
import { isRefusal, type Refusal } from '../endpoint/refusals.ts';
import type { RuleContext } from '../endpoint/rule-context.ts';
import type { License } from '../licenses/license.ts';
import type { EndpointMetrics } from '../observed-calls/metrics.ts';

/** Facts about a call besides its result. */
export interface NotedCall {
  readonly metrics: EndpointMetrics;
  readonly licenseKey: string;
  readonly requestContext: RequestContext;
  /** The machine of the call; null for endpoints without one. */
  readonly fingerprint: string | null;
  /** The requested product; null for endpoints without one. */
  readonly productId: string | null;
}

type NotedLicense = Pick<License, 'productId' | 'expiresAt'>;

/**
 * Reports the result of a call once it is final: for a call that writes, after its commit.
 *
 * @param license undefined when no license has the key
 * @param hostnameOf finds the machine's name; called only for refused calls
 */
export function noteResult<Call extends NotedCall>(
  { observedCalls, believedTime }: RuleContext,
  call: Call,
  license: NotedLicense | undefined,
  result: Reply | Refusal,
  hostnameOf: (call: Call) => string | null,
): void {
  const { metrics, licenseKey, fingerprint, requestContext } = call;
  const { requestId } = requestContext;
  // The date by which it is removed once it is old.
  const now = believedTime.sessionNow(requestContext.now);
  if (!isRefusal(result)) {
    if (license !== undefined) observedCalls.noteSuccess(metrics, license.productId, now);
    return;
  }
  const { refused } = result;
  if (license === undefined) observedCalls.noteUnknownLicense(metrics, refused, now);
  else {
    const details = detailsOf(result, license, call);
    const facts = { licenseKey, fingerprint, hostname: hostnameOf(call), details, requestId, now };
    observedCalls.noteRefusal(metrics, license.productId, refused, facts);
  }
}

/** Facts that support needs besides the code, as they were at that time. */
function detailsOf(refusal: Refusal, { expiresAt }: NotedLicense, { productId }: NotedCall) {
  const { refused, details, retryAfterSeconds } = refusal;
  const all = {
    ...details,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(refused === 'wrong_product' && productId !== null ? { productId } : {}),
    ...(refused === 'license_expired' && expiresAt !== null ? { expiresAt } : {}),
  };
  return Object.keys(all).length === 0 ? null : all;
}
