/**
 * Recorded abuse (rules 2.3): facts that support reads to a customer who asks. Detection alone never blocks anybody;
 * only a violation of the gravest level comes with a revocation.
 */
import { DAY_MS, fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { mintId } from '../../ground/base/random.ts';
import { evidenceAfter, machinesNamedIn, mergedEvidence } from './evidence.ts';
import type { DetectedType, Observation } from './observation.ts';

/** Reported by the storefront or an operator; each report is a violation of its own. */
export const REPORTED_TYPES = ['refund', 'chargeback', 'fraud'] as const;
export type ReportedType = (typeof REPORTED_TYPES)[number];

/** The threat level of refunds, chargebacks and fraud. */
export const GRAVEST_LEVEL = 4;

export interface Violation {
  readonly licenseKey: string;
  readonly violationId: string;
  readonly type: DetectedType | ReportedType;
  /** 1 to 4. */
  readonly severity: number;
  readonly occurrences: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
  /** Facts in plain names; the fields depend on the type. */
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly resolvedAt: string | null;
}

/** The threat level: the highest severity among open violations, 0 without any. */
export function threatLevelOf(open: readonly Violation[]): number {
  return Math.max(0, ...open.map(({ severity }) => severity));
}

/** The open violation after one more observation of its type; a new violation if none is open. */
export function gather(
  open: Violation | undefined,
  observation: Observation,
  licenseKey: string,
  now: number,
): Violation {
  const at = toTimestamp(now);
  const evidence = evidenceAfter(open?.evidence ?? {}, observation, now);
  return {
    licenseKey,
    violationId: open?.violationId ?? mintId(),
    type: observation.type,
    severity: Math.max(open?.severity ?? 0, severityOf(observation, evidence, now)),
    occurrences: (open?.occurrences ?? 0) + 1,
    firstSeen: open?.firstSeen ?? at,
    lastSeen: at,
    evidence,
    resolvedAt: null,
  };
}

/** A refund, chargeback or fraud: always a separate violation at the gravest level. */
export function reported(
  type: ReportedType,
  evidence: Readonly<Record<string, unknown>>,
  licenseKey: string,
  now: number,
): Violation {
  const at = toTimestamp(now);
  return {
    licenseKey,
    violationId: mintId(),
    type,
    severity: GRAVEST_LEVEL,
    occurrences: 1,
    firstSeen: at,
    lastSeen: at,
    evidence,
    resolvedAt: null,
  };
}

function severityOf(observation: Observation, evidence: Readonly<Record<string, unknown>>, now: number): number {
  switch (observation.type) {
    case 'machine_limit':
      return severityOfMachines(evidence, now);
    case 'activation_rate':
      return 2;
    case 'token_replay':
      return 3;
    case 'country_spread':
      return observation.countries.length >= 5 ? 3 : 2;
  }
}

/** One or two machines too many are a mistake; this many different ones in a day indicate a shared key. */
export const MACHINES_OF_A_SHARED_KEY = 5;

function severityOfMachines(evidence: Readonly<Record<string, unknown>>, now: number): number {
  const today = machinesNamedIn(evidence).filter((m) => fromTimestamp(m.lastSeen) > now - DAY_MS);
  return today.length >= MACHINES_OF_A_SHARED_KEY ? 2 : 1;
}

/**
 * Merges a stored violation with the observations that one server collected. `occurrences` keeps the stored number. A
 * resolved violation gets the new times but keeps its severity.
 */
export function merged(stored: Violation, collected: Violation, now: number): Violation {
  const evidence = mergedEvidence(stored.evidence, collected.evidence, stored.type as DetectedType);
  const severity = Math.max(
    stored.severity,
    collected.severity,
    stored.type === 'machine_limit' ? severityOfMachines(evidence, now) : 0,
  );
  return {
    ...stored,
    severity: stored.resolvedAt === null ? severity : stored.severity,
    lastSeen: stored.lastSeen > collected.lastSeen ? stored.lastSeen : collected.lastSeen,
    evidence,
  };
}

/** Minimum age of a country sighting before its time is updated; saves a write per validation. */
const SIGHTING_GRAIN_MS = DAY_MS / 24;

/** Number of countries in one day that make a spread. */
const SPREAD_COUNTRIES = 3;

/**
 * A license's countries of the last day after a sighting in one more. `spread` lists them when this country is new to
 * the day and makes it a spread. Returns the given object unchanged when there is nothing to write.
 */
export function sightCountry(
  countriesSeen: Readonly<Record<string, string>>,
  country: string,
  now: number,
): { readonly countriesSeen: Readonly<Record<string, string>>; readonly spread: readonly string[] | null } {
  const since = now - DAY_MS;
  const seenBefore = countriesSeen[country];
  const isKnownToday = seenBefore !== undefined && fromTimestamp(seenBefore) > since;
  if (isKnownToday && fromTimestamp(seenBefore) > now - SIGHTING_GRAIN_MS) return { countriesSeen, spread: null };
  const today = Object.fromEntries(Object.entries(countriesSeen).filter(([, at]) => fromTimestamp(at) > since));
  today[country] = toTimestamp(now);
  const countries = Object.keys(today).sort();
  return { countriesSeen: today, spread: !isKnownToday && countries.length >= SPREAD_COUNTRIES ? countries : null };
}
