/** The words of a verdict: its title and its evidence. Pure. */
import type { Verdict, VerdictCode } from '../api/contract.ts';
import { counted, countText } from '../parts/count-words.ts';
import { roundedSpanText } from '../parts/span-words.ts';

/** Each verdict as a title; null where the present answer says it. */
const VERDICTS: Readonly<Record<VerdictCode, string | null>> = {
  replaced: 'The key was replaced by another one',
  charged_back: 'The payment was charged back',
  refunded: 'The purchase was refunded',
  fraud_reported: 'Fraud was reported',
  revoked: 'Revoked without a reason',
  shared: 'Looks like several people on one key',
  wrong_product: 'Looks like an app for another product',
  other_license: 'Looks like the key of a former license',
  expired: 'Expired and not renewed',
  build_not_covered: 'The updates of the license do not cover the build',
  attempts_used_up: 'Looks like an app that activates again and again',
  no_seat: 'Other users hold all seats',
  no_user: 'The app does not say who uses it',
  user_has_machines: 'The user has as many machines as a user may have',
  seats_in_use: 'All seats are in use',
  reinstalled: 'Looks like a reinstalled computer',
  dead_machine: 'Looks like an unused machine in the way',
  new_computer: 'Looks like a new computer',
  activate_again: 'The app has to activate again',
  feature_not_included: 'The license does not include the feature',
  usage_used_up: 'The usage limit is reached',
  works: null,
};

/** All verdicts. */
export const verdictCodes = Object.keys(VERDICTS) as readonly VerdictCode[];

/** The verdict as a title; null where the present answer says it. */
export function verdictTitle({ code }: Pick<Verdict, 'code'>): string | null {
  return VERDICTS[code];
}

/** The verdict in a list of cases. */
export function caseTitle(code: VerdictCode): string {
  return VERDICTS[code] ?? 'The license works';
}

/** A number of the evidence with its term. */
export interface EvidenceFact {
  readonly term: string;
  readonly value: string;
}

/** The evidence of a verdict in numbers, the most telling first. */
export function evidenceFacts({ code, evidence }: Pick<Verdict, 'code' | 'evidence'>): EvidenceFact[] {
  const { limit, used, idleDays, machines, names, withinHours, refusals } = evidence;
  const { countries, attempts, reports, daysSince, otherLicenses } = evidence;
  const facts: readonly (readonly [term: string, value: string | undefined])[] = [
    ['Machines refused', numberText(machines)],
    ['Names', numberText(names)],
    ['Within', withinHours === undefined ? undefined : roundedSpanText(withinHours * 3_600)],
    ['Countries in a day', numberText(countries)],
    ['Refused calls', numberText(refusals)],
    ['Tries in an hour', numberText(attempts)],
    ['Not seen for', idleDays === undefined ? undefined : counted(idleDays, 'day')],
    ['In use', limit === undefined || used === undefined ? undefined : `${countText(used)} of ${countText(limit)}`],
    ['Open reports', numberText(reports)],
    [code === 'expired' || code === 'other_license' ? 'Expired' : 'Reported', daysAgo(daysSince)],
    ['Other active licenses', numberText(otherLicenses)],
  ];
  return facts.flatMap(([term, value]) => (value === undefined ? [] : [{ term, value }]));
}

function numberText(count: number | undefined): string | undefined {
  return count === undefined ? undefined : countText(count);
}

function daysAgo(days: number | undefined): string | undefined {
  if (days === undefined) return undefined;
  return days === 0 ? 'within a day' : `${counted(days, 'day')} ago`;
}

/** Verdicts whose reply to the customer is a no. */
const DECLINED: readonly VerdictCode[] = [
  'charged_back',
  'refunded',
  'fraud_reported',
  'revoked',
  'shared',
  'wrong_product',
  'expired',
];

/** Whether the reply to the customer is a no. */
export function declines({ code }: Pick<Verdict, 'code'>): boolean {
  return DECLINED.includes(code);
}
