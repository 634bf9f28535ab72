/**
 * The way of /verify: all calls that wait are answered by one select; what was read is kept in memory until a commit
 * of this process touches the license. Only where this process is the only writer (SQLite) is memory used at all: there
 * it can never be older than an acknowledged change. With PostgreSQL every call asks the database.
 */
import { LRUCache } from 'lru-cache';
import { fromTimestamp, toTimestamp } from '../../clock.ts';
import type { Circumstances, Lane, LaneCall, Reply, Work } from '../../endpoint/endpoint.ts';
import { type Refusal, refuse } from '../../refusals.ts';
import { type CheckedLicense, canonicalLicenseKey } from '../license.ts';
import { type LicenseAtMoment, listLicensesOf } from '../license-set-store.ts';

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

const LARGEST_BUNDLE_KEPT = 16;

/** Licenses as they were read last, a bounded number of them. */
export class LicenseMemory {
  readonly #licenses: LRUCache<string, LicenseAtMoment>;

  /** @param maximum how many licenses are kept; about 1 KiB each */
  constructor(maximum: number) {
    this.#licenses = new LRUCache({ max: maximum });
  }

  /** The license as it is stored now, or undefined when that is not known. */
  recall(licenseKey: string, now: number): CheckedLicense | undefined {
    const known = this.#licenses.get(licenseKey);
    if (known === undefined || (known.nextLapse !== null && fromTimestamp(known.nextLapse) <= now)) return undefined;
    return known.license;
  }

  /**
   * Keeps a license until the next of its floating sessions may lapse; a sign of life only puts that off. A bundle so
   * large that a few of them would take the room of thousands is not kept.
   */
  remember(known: LicenseAtMoment): void {
    const { licenseKey, unlockedProducts } = known.license;
    if (unlockedProducts.length <= LARGEST_BUNDLE_KEPT) this.#licenses.set(licenseKey, known);
  }

  /** Forgets licenses that a commit touched. */
  forget(licenseKeys: readonly string[]): void {
    for (const licenseKey of licenseKeys) this.#licenses.delete(licenseKey);
  }
}
