/** What the overview says of its figures: pure. */
import type { GetOverviewReply } from '../api/contract.ts';
import { countText } from '../parts/count-words.ts';
import { severityText } from '../sentences/violations.ts';

/** A count that ends at some number: "1,000+" where it did. */
export function endedCountText(count: number, isAtLeast: boolean): string {
  return `${countText(count)}${isAtLeast ? '+' : ''}`;
}

/** Open violations, the gravest first: what each severity is called, and how many there are. */
export function severitiesOf({ openViolations }: Pick<GetOverviewReply, 'openViolations'>) {
  return [...openViolations.severities]
    .sort((one, other) => other.severity - one.severity)
    .map(({ severity, count }) => ({
      severity,
      count,
      text: `${countText(count)} ${severityText(severity).toLowerCase()}`,
    }));
}

/** All refusals of an answer. */
export function refusalsOf({ refusalsByCode }: Pick<GetOverviewReply, 'refusalsByCode'>): number {
  return refusalsByCode.reduce((sum, { count }) => sum + count, 0);
}

/** How many times more than a usual day is said to be more than usual. */
const UNUSUAL = 1.5;
/** With fewer than so many, one app more or less says nothing. */
const FEWEST = 10;

/** How the refusals of a day compare with a day of that week. */
export function compareWithWeek(today: number, week: number): { readonly text: string; readonly isUnusual: boolean } {
  const usual = Math.round(week / 7);
  const isUnusual = today >= FEWEST && today > UNUSUAL * (week / 7);
  if (week === 0) return { text: 'None this week.', isUnusual: false };
  return { text: `${usual < 1 ? 'Less than one' : countText(usual)} a day this week.`, isUnusual };
}

/** Whether an answer shows no sign that there has ever been a license. */
export function looksEmpty(overview: GetOverviewReply): boolean {
  const { totals, expiringSoon, openViolations, newestEvents, fullestPools } = overview;
  const counted = totals === null ? 0 : totals.active + totals.revoked + totals.expired;
  return (
    counted === 0 &&
    expiringSoon.count === 0 &&
    openViolations.severities.length === 0 &&
    fullestPools.length === 0 &&
    !newestEvents.some(({ licenseKey }) => licenseKey !== null)
  );
}
