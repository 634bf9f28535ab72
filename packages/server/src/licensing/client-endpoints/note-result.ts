/** Reports the result of a client call to the statistics and to support (rules 10.8, 10.9). */
import type { Reply, RequestContext } from '../../platform/endpoint/endpoint.ts';
import { isRefusal, type Refusal } from '../../platform/endpoint/refusals.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
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
  ruleContext: RuleContext,
  call: Call,
  license: NotedLicense | undefined,
  result: Reply | Refusal,
  hostnameOf: (call: Call) => string | null,
): void {
  const { metrics, licenseKey, fingerprint, requestContext } = call;
  const { requestId } = requestContext;
  if (!isRefusal(result)) {
    if (license !== undefined) noteSuccess(ruleContext, call, license);
    return;
  }
  const { refused } = result;
  // A request without a field says nothing about the license.
  if (refused === 'missing_fields') return;
  const { observedCalls } = ruleContext;
  const now = dateOf(ruleContext, call);
  if (license === undefined) observedCalls.noteUnknownLicense(metrics, refused, now);
  else {
    const details = detailsOf(result, license, call);
    const facts = { licenseKey, fingerprint, hostname: hostnameOf(call), details, requestId, now };
    observedCalls.noteRefusal(metrics, license.productId, refused, facts);
  }
}

/** Reports an accepted call, as {@link noteResult} does. */
export function noteSuccess(ruleContext: RuleContext, call: NotedCall, { productId }: NotedLicense): void {
  ruleContext.observedCalls.noteSuccess(call.metrics, productId, dateOf(ruleContext, call));
}

/** The date by which a report is removed once it is old. */
function dateOf({ believedTime }: RuleContext, { requestContext }: NotedCall): number {
  return believedTime.sessionNow(requestContext.now);
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
