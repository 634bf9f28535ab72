/** The requests of the inbox, and those that resolve violations: pure. */
import type {
  LicenseStatus,
  ListViolationsRequest,
  ResolveLicenseReply,
  ResolveLicenseRequest,
  ViolationOfLicense,
  ViolationType,
} from '../api/contract.ts';
import { given } from '../api/given.ts';
import { NEEDS_YOU } from '../api/needs-you.ts';
import { countText } from '../parts/count-words.ts';
import { createdSpan } from '../parts/day-range.ts';

/** The names of the filters in the address. */
export const FILTERS = ['state', 'type', 'severity', 'product', 'license', 'days', 'sort'] as const;
/** The filter values; '' if not set. */
export type InboxFilters = Readonly<Record<(typeof FILTERS)[number], string>>;

/** Page size. */
const PAGE = 50;

/** The states that the list can show, each with its title. */
export const STATES = [
  { value: '', title: 'Needs you' },
  { value: 'disputes', title: 'Refunds and chargebacks' },
  { value: 'open', title: 'All open' },
  { value: 'resolved', title: 'Resolved' },
  { value: 'all', title: 'Open and resolved' },
] as const;

/** The orders of the list, each with its title. */
export const ORDERS = [
  { value: '', title: 'Gravest first' },
  { value: 'oldest', title: 'Oldest first' },
] as const;

const REQUESTS: Readonly<Record<string, Pick<ListViolationsRequest, 'open' | 'disputes'>>> = {
  '': NEEDS_YOU,
  disputes: { open: true, disputes: true },
  resolved: { open: false },
  all: {},
};

/** The types that the shop reports, and that revoke their licenses by themselves. */
const DISPUTES: readonly string[] = ['refund', 'chargeback'] satisfies readonly ViolationType[];

/** The filters after a choice of the type: "Needs you" has no refunds, and their folder has nothing else. */
export function changeOfType(type: string, { state }: Pick<InboxFilters, 'state'>): Partial<InboxFilters> {
  if (type === '') return { type };
  const isDispute = DISPUTES.includes(type);
  if (state === '' && isDispute) return { type, state: 'disputes' };
  return state === 'disputes' && !isDispute ? { type, state: '' } : { type };
}

/**
 * The request for a page: violations that need somebody, unless the filter says otherwise.
 *
 * @param cursor '' for the first page
 */
export function requestOf(filters: InboxFilters, cursor: string): ListViolationsRequest {
  const { state, type, severity, product, license, days, sort } = filters;
  const { createdFrom: firstSeenFrom, createdTo: firstSeenTo } = createdSpan(days);
  return {
    limit: PAGE,
    ...(REQUESTS[state] ?? { open: true }),
    ...(/^[1-4]$/.test(severity) ? { minimumSeverity: Number(severity) } : {}),
    ...given({ type: type as ViolationType | '', productId: product, licenseKey: license, cursor }),
    ...given({ firstSeenFrom, firstSeenTo }),
    ...(sort === 'oldest' ? { sort: 'oldest' } : {}),
  };
}

/** The violations of one license that are resolved together. */
export interface Resolution {
  readonly licenseKey: string;
  readonly email: string;
  /** The status before the resolution. */
  readonly status: LicenseStatus;
  readonly request: ResolveLicenseRequest;
}

/**
 * One call per license, in the order of the violations, without those already resolved.
 *
 * @param staysRevoked whether licenses that are revoked stay so
 */
export function resolutionsOf(violations: readonly ViolationOfLicense[], staysRevoked = false): readonly Resolution[] {
  const byLicense = new Map<string, ViolationOfLicense[]>();
  for (const violation of violations)
    if (violation.resolvedAt === null)
      byLicense.set(violation.licenseKey, [...(byLicense.get(violation.licenseKey) ?? []), violation]);
  return [...byLicense].map(([licenseKey, own]) => ({
    licenseKey,
    email: own[0]?.email ?? '',
    status: own[0]?.licenseStatus ?? 'active',
    request: { licenseKey, violationIds: own.map(({ id }) => id), ...(staysRevoked ? { staysRevoked } : {}) },
  }));
}

/** Whether resolving a violation may lift the revocation of its license. */
export function mayLift({ type, licenseStatus, resolvedAt }: LiftedViolation): boolean {
  return resolvedAt === null && licenseStatus === 'revoked' && (type === 'refund' || type === 'fraud');
}

type LiftedViolation = Pick<ViolationOfLicense, 'type' | 'licenseStatus' | 'resolvedAt'>;

/** "The revocations of 2 licenses are lifted." @param count licenses whose revocation would be lifted */
export function liftedText(count: number): string {
  return count === 1
    ? 'The revocation of one license is lifted: its apps work again.'
    : `The revocations of ${countText(count)} licenses are lifted: their apps work again.`;
}

/** The state after the resolution, from the reply to a dry run. */
export function previewText(
  { status: before }: Pick<Resolution, 'status'>,
  { threatLevel, license }: Pick<ResolveLicenseReply, 'threatLevel' | 'license'>,
): string {
  const left =
    threatLevel === 0 ? 'Nothing stays open' : `Others stay open, the most severe of level ${threatLevel} of 4`;
  if (before === 'revoked' && license.status !== 'revoked')
    return `${left}. The revocation is lifted: the license is ${license.status} again.`;
  if (license.status === 'revoked') return `${left}. The license stays revoked.`;
  return `${left}. The license stays ${license.status}.`;
}
