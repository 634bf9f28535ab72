/**
 * The way of /verify: all calls that wait are answered by one select; what was read is kept in memory until a commit
 * of this process touches the license (license-memory.ts). With PostgreSQL every call asks the database.
 */
import { toTimestamp } from '../../clock.ts';
import type { Circumstances, Lane, LaneCall, Reply, Work } from '../../endpoint/endpoint.ts';
import { type Refusal, refuse } from '../../refusals.ts';
import { type CheckedLicense, canonicalLicenseKey } from '../license.ts';
import { listLicensesOf } from '../license-set-store.ts';

/** An endpoint's rule on a license that is only looked at. */
export type DecideOnLicense<Fields> = (
  license: CheckedLicense,
  fields: Fields,
  circumstances: Circumstances,
) => Reply | Refusal;

interface CheckFields {
  readonly licenseKey: string;
}

const checkLane: Lane = {
  name: 'check',
  mode: 'read',
  async run(sql, calls, service) {
    const keys = calls.map(keyOf);
    const now = Math.max(...calls.map((call) => call.circumstances.now));
    const found = await listLicensesOf(sql, [...new Set(keys)], toTimestamp(now));
    const licenses = new Map(found.map((each) => [each.license.licenseKey, each]));
    for (const each of licenses.values()) service.licenseMemory?.remember(each);
    return calls.map((call, place) => decide(call, licenses.get(keys[place] as string)?.license));
  },
  recall(call, service) {
    const license = service.licenseMemory?.recall(keyOf(call), call.circumstances.now);
    return license && decide(call, license);
  },
};

/** Ties an endpoint's rule to this lane. */
export function decidedOnLicense<Fields extends CheckFields>(rule: DecideOnLicense<Fields>): Work<Fields> {
  return { kind: 'lane', lane: checkLane, decide: rule };
}

function keyOf(call: LaneCall): string {
  return canonicalLicenseKey((call.fields as unknown as CheckFields).licenseKey);
}

function decide(call: LaneCall, license: CheckedLicense | undefined): Reply | Refusal {
  if (license === undefined) return refuse('license_not_found');
  return (call.decide as DecideOnLicense<CheckFields>)(
    license,
    call.fields as unknown as CheckFields,
    call.circumstances,
  );
}
