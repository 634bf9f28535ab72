/** The reasons for refusals, in the few groups that a chart can show: pure. */
import type { Metric } from '../api/contract.ts';
import type { Series, Tone } from '../charts/series.ts';
import { rangeBetween } from '../parts/day-range.ts';

const OF_SESSIONS = [
  'license_not_found',
  'invalid_token',
  'token_mismatch',
  'license_replaced',
  'license_revoked',
  'license_expired',
  'machine_not_activated',
] as const;

/** The refusal codes of each client endpoint. */
const REFUSALS = {
  activate: [
    'license_not_found',
    'activation_rate',
    'wrong_product',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'update_not_covered',
    'user_required',
    'user_limit',
    'machine_limit',
  ],
  validate: [...OF_SESSIONS, 'update_not_covered', 'feature_missing'],
  verify: [
    'license_not_found',
    'wrong_product',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'update_not_covered',
    'feature_missing',
  ],
  deactivate: OF_SESSIONS,
  consume: [...OF_SESSIONS, 'meter_not_found', 'meter_limit', 'request_id_reused'],
  heartbeat: [
    'license_not_found',
    'invalid_token',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'machine_not_activated',
  ],
} as const;

/** The metrics of all refusals. */
export const REFUSAL_METRICS = Object.entries(REFUSALS).flatMap(([endpoint, codes]) =>
  codes.map((code) => `${endpoint}.${code}`),
) as readonly Metric[];

interface RefusalGroup {
  readonly id: string;
  readonly label: string;
  readonly tone: Tone;
  readonly codes: readonly string[];
}

/** Ordered from refusals that a customer can solve to those that only the app can. */
export const REFUSAL_GROUPS: readonly RefusalGroup[] = [
  {
    id: 'full',
    label: 'No free machine',
    tone: 'warn',
    codes: ['machine_limit'],
  },
  {
    id: 'attempts',
    label: 'Too many attempts',
    tone: 'warn-soft',
    codes: ['activation_rate'],
  },
  {
    id: 'revoked',
    label: 'License revoked or key replaced',
    tone: 'danger',
    codes: ['license_revoked', 'license_replaced'],
  },
  {
    id: 'expired',
    label: 'License expired',
    tone: 'danger-soft',
    codes: ['license_expired'],
  },
  {
    id: 'terms',
    label: 'Version, feature, use or user not included',
    tone: 'accent-soft',
    codes: [
      ...['update_not_covered', 'feature_missing', 'meter_limit', 'meter_not_found', 'request_id_reused'],
      ...['user_limit', 'user_required'],
    ],
  },
  {
    id: 'machine',
    label: 'Machine not known',
    tone: 'neutral',
    codes: ['invalid_token', 'token_mismatch', 'machine_not_activated'],
  },
  {
    id: 'key',
    label: 'Key or product unknown',
    tone: 'neutral-soft',
    codes: ['license_not_found', 'wrong_product'],
  },
];

/** Calls with an unknown key are counted, but belong to no license that a list could show. */
const NOT_LISTED = 'license_not_found';

/**
 * The address of a list of refusals.
 *
 * @param filters the codes, the period as ISO 8601, and the product; '' for no filter
 */
export function refusalsAddress(filters: {
  readonly codes?: readonly string[];
  readonly product: string;
  readonly since: string;
  readonly until?: string;
}): string {
  const { codes = [], product, since, until = '' } = filters;
  const code = codes.filter((each) => each !== NOT_LISTED).join(',');
  const values = Object.entries({ show: 'refusals', code, product, days: rangeBetween(since, until) });
  return `#/activity?${new URLSearchParams(values.filter(([, value]) => value !== ''))}`;
}

/**
 * The series of a chart of refusals, without empty groups.
 *
 * @param valuesOf the figures of a metric, one per bar
 * @param hrefOf address of the list of refusals with these codes; no links without it
 */
export function refusalSeries(
  bars: number,
  valuesOf: (metric: Metric) => readonly number[],
  hrefOf?: (codes: readonly string[]) => string,
): readonly Series[] {
  return REFUSAL_GROUPS.map(({ id, label, tone, codes }) => {
    const own = REFUSAL_METRICS.filter((metric) => codes.includes(codeOf(metric))).map(valuesOf);
    const values = Array.from({ length: bars }, (_, bar) => own.reduce((sum, each) => sum + (each[bar] ?? 0), 0));
    return { id, label, tone, values, ...(hrefOf === undefined ? {} : { href: hrefOf(codes) }) };
  }).filter(({ values }) => values.some((value) => value > 0));
}

function codeOf(metric: Metric): string {
  return metric.slice(metric.indexOf('.') + 1);
}
