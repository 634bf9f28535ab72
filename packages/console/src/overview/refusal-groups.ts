/** Why apps are refused, in the few groups that a chart can show: pure. */
import type { Metric } from '../api/contract.ts';
import type { Series, Tone } from '../charts/series.ts';

/** The codes that each endpoint of apps refuses with. */
const REFUSALS = {
  activate: [
    'license_not_found',
    'activation_rate',
    'wrong_product',
    'license_revoked',
    'license_expired',
    'machine_limit',
  ],
  validate: [
    'license_not_found',
    'invalid_token',
    'token_mismatch',
    'license_revoked',
    'license_expired',
    'machine_not_activated',
  ],
  verify: ['license_not_found', 'wrong_product', 'license_revoked', 'license_expired'],
  deactivate: [
    'license_not_found',
    'invalid_token',
    'token_mismatch',
    'license_revoked',
    'license_expired',
    'machine_not_activated',
  ],
  heartbeat: ['license_not_found', 'invalid_token', 'license_revoked', 'license_expired', 'machine_not_activated'],
} as const;

/** The metric of every refusal. */
export const REFUSAL_METRICS = Object.entries(REFUSALS).flatMap(([endpoint, codes]) =>
  codes.map((code) => `${endpoint}.${code}`),
) as readonly Metric[];

interface RefusalGroup {
  readonly id: string;
  readonly label: string;
  readonly tone: Tone;
  readonly codes: readonly string[];
  /** Where the licenses or violations behind it are listed. */
  readonly href?: string;
}

/** From what a customer can solve to what nobody but the app can. */
export const REFUSAL_GROUPS: readonly RefusalGroup[] = [
  {
    id: 'full',
    label: 'No free machine',
    tone: 'warn',
    codes: ['machine_limit'],
    href: '#/violations?type=machine_limit',
  },
  {
    id: 'attempts',
    label: 'Too many attempts',
    tone: 'warn-soft',
    codes: ['activation_rate'],
    href: '#/violations?type=activation_rate',
  },
  {
    id: 'revoked',
    label: 'License revoked',
    tone: 'danger',
    codes: ['license_revoked'],
    href: '#/licenses?status=revoked',
  },
  {
    id: 'expired',
    label: 'License expired',
    tone: 'danger-soft',
    codes: ['license_expired'],
    href: '#/licenses?status=expired',
  },
  {
    id: 'machine',
    label: 'Machine not known',
    tone: 'neutral',
    codes: ['invalid_token', 'token_mismatch', 'machine_not_activated'],
  },
  { id: 'key', label: 'Key or product unknown', tone: 'neutral-soft', codes: ['license_not_found', 'wrong_product'] },
];

/**
 * The series of a chart of refusals; groups of which there is none are left out.
 *
 * @param valuesOf the figures of a metric, one for each bar
 */
export function refusalSeries(bars: number, valuesOf: (metric: Metric) => readonly number[]): readonly Series[] {
  return REFUSAL_GROUPS.map(({ id, label, tone, codes, href }) => {
    const own = REFUSAL_METRICS.filter((metric) => codes.includes(codeOf(metric))).map(valuesOf);
    const values = Array.from({ length: bars }, (_, bar) => own.reduce((sum, each) => sum + (each[bar] ?? 0), 0));
    return { id, label, tone, values, ...(href === undefined ? {} : { href }) };
  }).filter(({ values }) => values.some((value) => value > 0));
}

function codeOf(metric: Metric): string {
  return metric.slice(metric.indexOf('.') + 1);
}
