/** Tells what a call of a client endpoint came to, for the statistics and for support (rules 10.8, 10.9). */
import type { Reply, RequestContext } from '../../endpoint/endpoint.ts';
import type { EndpointMetrics } from '../../observed-calls/metrics.ts';
import { isRefusal, type Refusal } from '../../refusals.ts';
import type { RuleContext } from '../../rule-context.ts';
import type { License } from '../license.ts';

/** What is told of a call beside its result. */
export interface NotedCall {
  readonly metrics: EndpointMetrics;
  readonly licenseKey: string;
  readonly requestContext: RequestContext;
  /** The machine that the call is about, where the endpoint asks for one. */
  readonly fingerprint: string | null;
  /** The product that the call asks for, where the endpoint asks for one. */
  readonly productId: string | null;
}

type NotedLicense = Pick<License, 'productId' | 'expiresAt'>;

/**
 * Tells what a call came to. Only once it is certain: for a call that writes, after its commit.
 *
 * @param license undefined where the key is none
 * @param hostnameOf finds the name of the machine; asked only of calls that are refused
 */
export function noteResult<Call extends NotedCall>(
  { observedCalls }: RuleContext,
  call: Call,
  license: NotedLicense | undefined,
  result: Reply | Refusal,
  hostnameOf: (call: Call) => string | null,
): void {
  const { metrics, licenseKey, fingerprint, requestContext } = call;
  const { now, requestId } = requestContext;
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

/** What support needs to know beside the code, as it was then. */
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
