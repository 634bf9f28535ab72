/**
 * The batch of /verify: one select answers all waiting calls. Licenses stay in memory until a commit of this process
 * touches them (license-cache.ts). With PostgreSQL every call queries the database.
 */
import { toTimestamp } from '../../ground/base/clock.ts';
import {
  type Answer,
  type BatchCall,
  type BatchedWork,
  type BatchResult,
  CallFailure,
  type ReadBatch,
  type Reply,
  type RequestContext,
} from '../../platform/endpoint/endpoint.ts';
import { isRefusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { type CheckedLicense, isWithin, storedLicenseKey } from '../licenses/license.ts';
import { listLicensesOf, listLicensesUntilLapse } from '../licenses/license-set-store.ts';
import { unchangedReplyPeriod } from '../licenses/terms.ts';
import { type Build, namesBuild } from '../licenses/updates.ts';
import { type ClientPath, metricsOf } from '../observed-calls/metrics.ts';
import type { LicenseCache } from './license-cache.ts';
import { type NotedCall, noteResult, noteSuccess } from './note-result.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface RuleContext {
    /** Cache of licenses, where this process is the only writer; null elsewhere. */
    readonly licenseCache: LicenseCache | null;
  }
}

/**
 * An endpoint's rule on a license that it only reads. Its reply must depend on nothing but the license, the requested
 * product, and the status and remaining days at the time of the call, because it is repeated while these are the same.
 */
export type DecideOnLicense<Fields, Result, Code extends RefusalCode> = (
  license: CheckedLicense,
  fields: Fields,
  requestContext: RequestContext,
) => Answer<Result, Code>;

interface CheckFields extends Build {
  readonly licenseKey: string;
  readonly productId?: string;
  readonly features?: readonly string[] | undefined;
}

interface LicenseCall<Result = Reply, Code extends RefusalCode = RefusalCode>
  extends BatchCall<Result, Code>,
    NotedCall {
  readonly requestContext: RequestContext;
  /** Whether its reply depends on the license, the product and the time alone, so that it may be kept. */
  readonly isPlain: boolean;
  readonly decide: (license: CheckedLicense) => Answer<Result, Code>;
}

const licenseBatch: ReadBatch<LicenseCall> = {
  name: 'license',
  mode: 'read',
  async run(sql, calls, ruleContext) {
    const now = Math.max(...calls.map((call) => call.requestContext.now));
    const keys = new Set(calls.map(({ licenseKey }) => licenseKey));
    const found = await listLicenses(sql, [...keys], toTimestamp(now), ruleContext.licenseCache);
    const licenses = new Map(found.map((license) => [license.licenseKey, license]));
    const results = calls.map((call) => decide(call, licenses.get(call.licenseKey)));
    for (const [index, call] of calls.entries()) {
      const result = results[index]!;
      if (!(result instanceof CallFailure))
        noteResult(ruleContext, call, licenses.get(call.licenseKey), result, noHostname);
    }
    return results;
  },
  recall(call, ruleContext) {
    const { productId, requestContext } = call;
    const { now } = requestContext;
    const cached = ruleContext.licenseCache?.recall(call.licenseKey, now);
    if (cached === undefined) return undefined;
    const { license, reply } = cached;
    if (call.isPlain && reply !== null && reply.productId === productId && isWithin(reply.period, now)) {
      noteSuccess(ruleContext, call, license);
      return reply.text;
    }
    const result = call.decide(license);
    noteResult(ruleContext, call, license, result, noHostname);
    if (isRefusal(result)) return result;
    const text = JSON.stringify(result);
    if (call.isPlain) cached.reply = { text, productId, period: unchangedReplyPeriod(license, now) };
    return text;
  },
};

async function listLicenses(sql: Sql, keys: readonly string[], now: string, cache: LicenseCache | null) {
  if (cache === null) return listLicensesOf(sql, keys, now);
  const found = await listLicensesUntilLapse(sql, keys, now);
  for (const each of found) cache.remember(each);
  return found.map(({ license }) => license);
}

/** These calls involve no machine. */
const noHostname = () => null;

/** Connects an endpoint's rule to this batch. */
export function decidedOnLicense<Fields extends CheckFields, Result extends Reply, Code extends RefusalCode>(
  endpoint: ClientPath,
  rule: DecideOnLicense<Fields, Result, Code>,
): BatchedWork<Fields, Result, Code> {
  const metrics = metricsOf(endpoint);
  return {
    kind: 'batch',
    batch: licenseBatch,
    bind: (fields, requestContext): LicenseCall<Result, Code> => ({
      metrics,
      licenseKey: storedLicenseKey(fields.licenseKey),
      fingerprint: null,
      productId: fields.productId ?? null,
      requestContext,
      isPlain: fields.features === undefined && !namesBuild(fields),
      decide: (license) => rule(license, fields, requestContext),
    }),
  };
}

/** Decides one call. A damaged license row fails only the calls on that license. */
function decide(call: LicenseCall, license: CheckedLicense | undefined): BatchResult {
  if (license === undefined) return refuse('license_not_found');
  try {
    return call.decide(license);
  } catch (error) {
    return new CallFailure(error);
  }
}
