/**
 * The batch of /verify: all calls that wait are answered by one select; what was read is kept in memory until a commit
 * of this process touches the license (license-cache.ts). With PostgreSQL every call asks the database.
 */
import { toTimestamp } from '../../clock.ts';
import type { Answer, BatchCall, BatchedWork, ReadBatch, Reply, RequestContext } from '../../endpoint/endpoint.ts';
import { type Refusal, type RefusalCode, refuse } from '../../refusals.ts';
import { type CheckedLicense, storedLicenseKey } from '../license.ts';
import { listLicensesOf } from '../license-set-store.ts';

/** An endpoint's rule on a license that is only looked at. */
export type DecideOnLicense<Fields, Result, Code extends RefusalCode> = (
  license: CheckedLicense,
  fields: Fields,
  requestContext: RequestContext,
) => Answer<Result, Code>;

interface CheckFields {
  readonly licenseKey: string;
}

interface LicenseCall<Result = Reply, Code extends RefusalCode = RefusalCode> extends BatchCall<Result, Code> {
  readonly licenseKey: string;
  readonly decide: (license: CheckedLicense) => Answer<Result, Code>;
}

const licenseBatch: ReadBatch<LicenseCall> = {
  name: 'license',
  mode: 'read',
  async run(sql, calls, ruleContext) {
    const now = Math.max(...calls.map((call) => call.requestContext.now));
    const keys = new Set(calls.map(({ licenseKey }) => licenseKey));
    const found = await listLicensesOf(sql, [...keys], toTimestamp(now));
    const licenses = new Map(found.map((each) => [each.license.licenseKey, each.license]));
    for (const each of found) ruleContext.licenseCache?.remember(each);
    return calls.map((call) => decide(call, licenses.get(call.licenseKey)));
  },
  recall(call, ruleContext) {
    const license = ruleContext.licenseCache?.recall(call.licenseKey, call.requestContext.now);
    return license && call.decide(license);
  },
};

/** Ties an endpoint's rule to this batch. */
export function decidedOnLicense<Fields extends CheckFields, Result extends Reply, Code extends RefusalCode>(
  rule: DecideOnLicense<Fields, Result, Code>,
): BatchedWork<Fields, Result, Code> {
  return {
    kind: 'batch',
    batch: licenseBatch,
    bind: (fields, requestContext): LicenseCall<Result, Code> => ({
      licenseKey: storedLicenseKey(fields.licenseKey),
      requestContext,
      decide: (license) => rule(license, fields, requestContext),
    }),
  };
}

function decide(call: LicenseCall, license: CheckedLicense | undefined): Reply | Refusal {
  return license === undefined ? refuse('license_not_found') : call.decide(license);
}
