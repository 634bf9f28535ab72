/** Violations in words: the evidence, and the severity. Pure. */
import type { ClientEndpoint, Violation, ViolationType } from '../api/contract.ts';
import { countText } from '../parts/count-words.ts';
import { countryName } from '../parts/country-words.ts';
import { moneyText } from '../parts/figures.ts';
import { LOCALE } from '../parts/locale.ts';

/** The type of a violation as a title. */
const TITLES: Readonly<Record<ViolationType, string>> = {
  machine_limit: 'More machines than allowed',
  activation_rate: 'Too many activations in an hour',
  token_replay: 'Token used by another machine',
  country_spread: 'Many countries in one day',
  refund: 'Refund',
  chargeback: 'Chargeback',
  fraud: 'Fraud',
};

/** All types, for a filter. */
export const violationTypes = Object.keys(TITLES) as readonly ViolationType[];

/** The type of a violation as a title. */
export function violationTitle(type: ViolationType): string {
  return TITLES[type];
}

/** A severity from 1 to 4 as a word. */
export function severityText(severity: number): string {
  return ['', 'Low', 'Medium', 'High', 'Severe'][severity] ?? String(severity);
}

/** A threat level in a word: "Threat 3 of 4, high". It is the highest severity among the open violations. */
export function threatText(level: number): string {
  return `Threat ${level} of 4, ${severityText(level).toLowerCase()}`;
}

/** Explains the threat level of a license. */
export const THREAT_HINT =
  'The highest severity among the open violations of the license. It falls when they are resolved.';

/** The tone of a severity, for badges and marks. */
export function severityTone(severity: number): 'quiet' | 'warn' | 'danger' {
  if (severity >= 3) return 'danger';
  return severity === 2 ? 'warn' : 'quiet';
}

/** A machine in the evidence. */
export interface MachineInEvidence {
  /** Its hostname; its fingerprint if it has none. */
  readonly name: string;
  readonly fingerprint: string;
  /** ISO 8601. */
  readonly lastSeen: string;
}

/** The names of machines by their fingerprints. */
export type MachineNames = ReadonlyMap<string, string>;

/**
 * The machines that were refused or presented a token, newest first.
 *
 * @param names of those without one in the evidence
 */
export function machinesOf(
  { evidence }: Pick<Violation, 'evidence'>,
  names: MachineNames = new Map(),
): readonly MachineInEvidence[] {
  const machines = Array.isArray(evidence.machines) ? (evidence.machines as readonly Record<string, unknown>[]) : [];
  return machines.map(({ fingerprint, hostname, lastSeen }) => ({
    name:
      typeof hostname === 'string' && hostname !== ''
        ? hostname
        : (names.get(String(fingerprint)) ?? String(fingerprint)),
    fingerprint: String(fingerprint),
    lastSeen: String(lastSeen),
  }));
}

/** The evidence as a sentence. @param names of machines without one in the evidence */
export function evidenceSentence(
  violation: Pick<Violation, 'type' | 'evidence' | 'occurrences'>,
  names: MachineNames = new Map(),
): string {
  const { type, evidence, occurrences } = violation;
  const machines = machinesOf(violation, names);
  const often = occurrences === 1 ? 'once' : occurrences === 2 ? 'twice' : `${countText(occurrences)} times`;
  switch (type) {
    case 'machine_limit':
      return `${named(machines)} ${machines.length === 1 ? 'was' : 'were'} refused ${often}: ${limitText(evidence.limit)}.`;
    case 'activation_rate':
      return `Activated too often within an hour, refused ${often}, last by ${named(machines.slice(0, 1))}.`;
    case 'token_replay':
      return `${named(machines)} showed a token of ${whose(evidence.tokenOf)} ${often}${at(evidence.endpoint)}.`;
    case 'country_spread':
      return `Used from ${countryList(evidence.countries)}${inDay(evidence.inOneDay)}.`;
    case 'refund':
      return `The payment was refunded. ${reporter(evidence)}`;
    case 'chargeback':
      return `The payment was charged back. ${reporter(evidence)}`;
    case 'fraud':
      return `It was reported as fraud. ${reporter(evidence)}`;
  }
}

const NAMED = 3;

function named(machines: readonly MachineInEvidence[]): string {
  const names = machines.slice(0, NAMED).map(({ name }) => `"${name}"`);
  const more = machines.length - names.length;
  if (names.length === 0) return 'A machine';
  if (more > 0)
    return `${names.join(', ')} and ${more === 1 ? 'another machine' : `${countText(more)} other machines`}`;
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function limitText(limit: unknown): string {
  if (typeof limit !== 'number') return 'all machines were in use';
  return limit === 1 ? 'the one machine allowed was in use' : `all ${countText(limit)} machines allowed were in use`;
}

function whose(tokenOf: unknown): string {
  return typeof tokenOf === 'string' ? tokenOf : 'another machine';
}

/** The endpoints that take a token. */
const WHEN: Readonly<Record<Exclude<ClientEndpoint, '/verify' | '/activate'>, string>> = {
  '/validate': ' when it was started',
  '/heartbeat': ' while it ran',
  '/deactivate': ' when it was to be removed',
  '/consume': ' when it counted a use',
};

function at(endpoint: unknown): string {
  return typeof endpoint === 'string' ? ((WHEN as Readonly<Record<string, string>>)[endpoint] ?? '') : '';
}

const list = new Intl.ListFormat(LOCALE, { type: 'conjunction' });

function countryList(codes: unknown): string {
  if (!Array.isArray(codes) || codes.length === 0) return 'several countries';
  return list.format(codes.map((code) => countryName(String(code))));
}

function inDay(count: unknown): string {
  return typeof count === 'number' ? `, ${countText(count)} of them in one day` : '';
}

function reporter({ reportedBy, purchaseId, ...evidence }: Violation['evidence']): string {
  const purchase = typeof purchaseId === 'string' ? ` for purchase ${purchaseId}` : '';
  const who = reportedBy === 'storefront' ? 'The storefront' : reportedBy === 'creator' ? 'The creator' : 'An operator';
  return `${who} reported it${purchase}${sentAmount(evidence)}.`;
}

function sentAmount({ amount, currency }: Violation['evidence']): string {
  if (typeof amount !== 'number') return '';
  return ` (amount ${moneyText(amount, typeof currency === 'string' ? currency : null)})`;
}
