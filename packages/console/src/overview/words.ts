/** The words of the overview: pure. */
import type { GetOverviewReply, LicenseSummary } from '../api/contract.ts';
import { FIRST_LICENSES } from '../api/first-licenses.ts';
import { countText } from '../parts/count-words.ts';
import { severityText } from '../sentences/violations.ts';

/** A capped count: "1,000+" if it reached the cap. */
export function endedCountText(count: number, isAtLeast: boolean): string {
  return `${countText(count)}${isAtLeast ? '+' : ''}`;
}

/** The open violations by severity, gravest first: the name of each severity and its count. */
export function severitiesOf({ openViolations }: Pick<GetOverviewReply, 'openViolations'>) {
  return [...openViolations.severities]
    .sort((one, other) => other.severity - one.severity)
    .map(({ severity, count }) => ({
      severity,
      count,
      text: `${countText(count)} ${severityText(severity).toLowerCase()}`,
    }));
}

/** The number of refusals in a reply. */
export function refusalsOf({ refusalsByCode }: Pick<GetOverviewReply, 'refusalsByCode'>): number {
  return refusalsByCode.reduce((sum, { count }) => sum + count, 0);
}

/** A day with more refusals than an average day by this factor is unusual. */
const UNUSUAL = 1.5;
/** Below this count, one app more or less proves nothing. */
const FEWEST = 10;

/** Compares the refusals of a day with an average day of the week. */
export function compareWithWeek(today: number, week: number): { readonly text: string; readonly isUnusual: boolean } {
  const usual = Math.round(week / 7);
  const isUnusual = today >= FEWEST && today > UNUSUAL * (week / 7);
  if (week === 0) return { text: 'None this week.', isUnusual: false };
  return { text: `${usual < 1 ? 'Less than one' : countText(usual)} a day this week.`, isUnusual };
}

/** Whether a reply shows no sign of an app, and of few licenses. */
export function mayBeNew({ totals, openViolations, newestEvents, fullestPools }: GetOverviewReply): boolean {
  const counted = totals === null ? 0 : totals.active + totals.revoked + totals.expired;
  return (
    counted < FIRST_LICENSES.limit &&
    openViolations.severities.length === 0 &&
    fullestPools.length === 0 &&
    !newestEvents.some(({ type }) => type.startsWith('activation'))
  );
}

/**
 * Whether these are the licenses of a beginner: few, and none of them with a machine. A creator in an installation of
 * others begins only with the first license.
 */
export function areUnused(licenses: readonly LicenseSummary[], isOperator: boolean): boolean {
  const isFew = isOperator ? licenses.length < FIRST_LICENSES.limit : licenses.length === 0;
  return isFew && licenses.every(({ machinesUsed }) => machinesUsed === 0);
}

/** Whether the part of an address after the `#`, with the mark, names the overview. */
export function namesOverview(hash: string): boolean {
  return /^(?:#\/?(?:\?.*)?)?$/.test(hash);
}
