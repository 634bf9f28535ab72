/**
 * The way of /verify: all calls that wait are answered by one select; what was read is kept in memory until a commit
 * of this process touches the license. Only where this process is the only writer (SQLite) is memory used at all: there
 * it can never be older than an acknowledged change. With PostgreSQL every call asks the database.
 */
import { LRUCache } from 'lru-cache';
import { toTimestamp } from '../../clock.ts';
import type { Circumstances, Lane, LaneCall, Reply, Work } from '../../endpoint/endpoint.ts';
import { type Refusal, refuse } from '../../refusals.ts';
import { type CheckedLicense, canonicalLicenseKey } from '../license.ts';
import { countLapsedSessions, listLicensesOf } from '../machine-store.ts';

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
    const distinct = [...new Set(keys)];
    const licenses = new Map((await listLicensesOf(sql, distinct)).map((each) => [each.licenseKey, each]));
    const floating = [...licenses.values()].filter((each) => each.sessionsHeld > 0).map((each) => each.licenseKey);
    if (floating.length > 0) {
      const now = Math.max(...calls.map((call) => call.circumstances.now));
      for (const [licenseKey, lapsed] of await countLapsedSessions(sql, floating, toTimestamp(now))) {
        const license = licenses.get(licenseKey);
        if (license) licenses.set(licenseKey, { ...license, sessionsHeld: license.sessionsHeld - lapsed });
      }
    }
    for (const license of licenses.values()) service.licenseMemory?.remember(license);
    return calls.map((call, place) => decide(call, licenses.get(keys[place] as string)));
  },
  recall(call, service) {
    const license = service.licenseMemory?.recall(keyOf(call));
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
  readonly #licenses: LRUCache<string, CheckedLicense>;

  /** @param maximum how many licenses are kept; about 1 KiB each */
  constructor(maximum: number) {
    this.#licenses = new LRUCache({ max: maximum });
  }

  /** The license as it is stored now, or undefined when that is not known. */
  recall(licenseKey: string): CheckedLicense | undefined {
    return this.#licenses.get(licenseKey);
  }

  /**
   * Keeps a license. Not one whose count changes by the passing of time alone (live floating sessions), nor a bundle so
   * large that a few of them would take the room of thousands.
   */
  remember(license: CheckedLicense): void {
    const isSmall = license.unlockedProducts.length <= LARGEST_BUNDLE_KEPT;
    if (license.sessionsHeld === 0 && isSmall) this.#licenses.set(license.licenseKey, license);
  }

  /** Forgets licenses that a commit touched. */
  forget(licenseKeys: readonly string[]): void {
    for (const licenseKey of licenseKeys) this.#licenses.delete(licenseKey);
  }
}
