/** Reads the figures of sales of a period, and those of the period before. */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { listSales, type SaleCount, type SaleSum, sumSalesByDay, sumSalesByVariant } from './sale-count-store.ts';
import { SALE_METRICS, type SaleMetric } from './sale-metric.ts';
import { type SalesPeriod, startOfSaleStep } from './sales-period.ts';

/** Maximum number of variants with figures of their own: those with the most sales. */
export const MAX_VARIANTS = 50;

/** A value for each figure. */
export type SaleFigures = Readonly<Record<SaleMetric, number>>;

/** The values of a figure, one for each step of the period; figures that are 0 in all of them are left out. */
export type SalePoints = Readonly<Partial<Record<SaleMetric, readonly number[]>>>;

/** The figures of a group of licenses. */
export interface SalesOf {
  readonly totals: SaleFigures;
  /** The totals of the period before, which has as many days. */
  readonly before: SaleFigures;
  readonly points: SalePoints;
}

/** The figures of a variant. */
export interface SalesOfVariant extends SalesOf {
  readonly productId: string;
  readonly variant: string;
}

/** The figures of a period: of all variants together, and of each. */
export interface Sales extends SalesOf {
  /** At most {@link MAX_VARIANTS}, the one with the most purchases first. */
  readonly variants: readonly SalesOfVariant[];
  /** The sums of the other variants, and their number; null without any. */
  readonly others: (SalesOf & { readonly variants: number }) | null;
}

/** The products and the days of a question. */
export interface SalesQuestion {
  /** Each once; null for all products. */
  readonly productIds: readonly string[] | null;
  /** As `salesPeriodOf` makes it. */
  readonly period: SalesPeriod;
}

/** The figures of the sales of some products in a period (rules 10.16). `findCompleteTo` says how recent they are. */
export async function readSales(sql: Sql, { productIds, period }: SalesQuestion): Promise<Sales> {
  const { before, from, to, step } = period;
  const sums = await sumSalesByVariant(sql, { productIds, from: before, to }, from);
  const variants = variantsOf(sums);
  const shown = variants.slice(0, MAX_VARIANTS);
  const rest = variants.slice(MAX_VARIANTS);
  const shownProducts = [...new Set(shown.map(({ productId }) => productId))];
  const counts =
    shown.length === 0
      ? []
      : await listSales(sql, { productIds: shownProducts, from, to }, step === 'month' ? 'month' : 'day');
  const countsOf = Map.groupBy(counts, keyOf);
  const all = pointsOf(await sumSalesByDay(sql, { productIds, from, to }), period);
  const ofVariants = shown.map((each) => ({ ...each, points: pointsOf(countsOf.get(keyOf(each)) ?? [], period) }));
  const totals = sumOf(variants.map((each) => each.totals));
  return {
    totals,
    before: sumOf(variants.map((each) => each.before)),
    points: all,
    variants: ofVariants,
    others:
      rest.length === 0
        ? null
        : {
            variants: rest.length,
            totals: sumOf(rest.map((each) => each.totals)),
            before: sumOf(rest.map((each) => each.before)),
            points: withoutThose(
              all,
              ofVariants.map(({ points }) => points),
            ),
          },
  };
}

function keyOf({ productId, variant }: Pick<SaleCount, 'productId' | 'variant'>): string {
  return JSON.stringify([productId, variant]);
}

type Totals = Omit<SalesOfVariant, 'points'>;

/** The totals of each variant, the one with the most purchases first. */
function variantsOf(sums: readonly SaleSum[]): readonly Totals[] {
  const groups = [...Map.groupBy(sums, keyOf).values()];
  const weight = ({ totals }: Totals) => [totals.purchased, totals.renewed, totals.issued, totals.trialsStarted];
  return groups
    .map((group): Totals => {
      const { productId, variant } = group[0]!;
      const of = (field: 'value' | 'before') => {
        const found = new Map(group.map((sum) => [sum.metric, sum[field]]));
        return figures((metric) => found.get(metric) ?? 0);
      };
      return { productId, variant, totals: of('value'), before: of('before') };
    })
    .sort((one, other) => {
      const [mine, theirs] = [weight(one), weight(other)];
      const place = mine.findIndex((value, index) => value !== theirs[index]);
      return place === -1 ? (keyOf(one) < keyOf(other) ? -1 : 1) : theirs[place]! - mine[place]!;
    });
}

function figures(of: (metric: SaleMetric) => number): SaleFigures {
  return Object.fromEntries(SALE_METRICS.map((metric) => [metric, of(metric)])) as Record<SaleMetric, number>;
}

function sumOf(all: readonly SaleFigures[]): SaleFigures {
  return figures((metric) => all.reduce((sum, each) => sum + each[metric], 0));
}

function pointsOf(
  counts: readonly Pick<SaleCount, 'metric' | 'day' | 'value'>[],
  { step, steps }: SalesPeriod,
): SalePoints {
  const places = new Map(steps.map((at, index) => [at, index]));
  const points: Partial<Record<SaleMetric, number[]>> = {};
  for (const { metric, day, value } of counts) {
    points[metric] ??= steps.map(() => 0);
    points[metric][places.get(toTimestamp(startOfSaleStep(fromTimestamp(day), step)))!]! += value;
  }
  return points;
}

/** The points that are left without some parts. */
function withoutThose(all: SalePoints, parts: readonly SalePoints[]): SalePoints {
  const left: Partial<Record<SaleMetric, readonly number[]>> = {};
  for (const metric of SALE_METRICS) {
    const ofParts = parts.flatMap((part) => (part[metric] === undefined ? [] : [part[metric]]));
    const values = all[metric]?.map((value, index) => ofParts.reduce((rest, part) => rest - part[index]!, value));
    if (values?.some((value) => value !== 0)) left[metric] = values;
  }
  return left;
}
