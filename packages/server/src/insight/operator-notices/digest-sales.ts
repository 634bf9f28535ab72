/** The sales of a week in its digest. */
import { readSales, type SaleFigures, type Sales } from '../../commerce/sales/read-sales.ts';
import type { SaleMetric } from '../../commerce/sales/sale-metric.ts';
import type { SalesPeriod } from '../../commerce/sales/sales-period.ts';
import { toTimestamp } from '../../ground/base/clock.ts';
import { findProduct } from '../../licensing/products/store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { type Week, weekBefore } from './digest-week.ts';

/** Products with a line of their own: those with the most purchases. */
const PRODUCTS_NAMED = 10;

/** In the order of the e-mail. */
const TITLES = {
  purchased: 'bought',
  issued: 'issued in all',
  renewed: 'renewed',
  trialsStarted: 'trials begun',
  trialsConverted: 'trials that became purchases',
  refunded: 'refunded',
  partlyRefunded: 'refunded in part',
  chargedBack: 'charged back',
  reinstated: 'reinstated after a refund or chargeback',
} as const satisfies Readonly<Record<SaleMetric, string>>;
const METRICS = Object.keys(TITLES) as readonly SaleMetric[];

/** The paragraphs about the sales of a week. */
export async function salesOf(sql: Sql, week: Week): Promise<readonly string[]> {
  const from = toTimestamp(week.from);
  const before = toTimestamp(weekBefore(week).from);
  const period: SalesPeriod = { step: 'week', before, from, to: toTimestamp(week.to), steps: [from] };
  const sales = await readSales(sql, { productIds: null, period });
  const lines = METRICS.flatMap((metric) => lineOf(metric, sales));
  if (lines.length === 0) return ['Nothing was sold or tried in this week, nor in the week before.'];
  const products = await productLines(sql, sales);
  return [
    ['Licenses, and those of the week before in brackets:', ...lines].join('\n'),
    ...(products.length === 0 ? [] : [['By product:', ...products].join('\n')]),
  ];
}

/** `- bought: 12 (9, +33 %)`; none if the figure is 0 in both weeks. */
function lineOf(metric: SaleMetric, { totals, before }: Sales): readonly string[] {
  const [now, then] = [totals[metric], before[metric]];
  if (now === 0 && then === 0) return [];
  const percent = then === 0 ? 0 : Math.round(((now - then) / then) * 100);
  const growth = percent === 0 ? '' : `, ${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
  return [`- ${TITLES[metric]}: ${now} (${then}${growth})`];
}

async function productLines(sql: Sql, { variants }: Sales): Promise<readonly string[]> {
  const sums = new Map<string, SaleFigures>();
  for (const { productId, totals } of variants) {
    const sum = sums.get(productId);
    sums.set(productId, sum === undefined ? totals : added(sum, totals));
  }
  const sold = [...sums]
    .filter(([, totals]) => METRICS.some((metric) => totals[metric] > 0))
    .toSorted(([, one], [, other]) => other.purchased - one.purchased || other.issued - one.issued);
  const lines: string[] = [];
  for (const [productId, totals] of sold.slice(0, PRODUCTS_NAMED)) {
    const product = await findProduct(sql, productId, { creatorId: null });
    const parts = METRICS.filter((metric) => totals[metric] > 0).map((metric) => `${totals[metric]} ${TITLES[metric]}`);
    lines.push(`- ${product?.name ?? productId}: ${parts.join(', ')}`);
  }
  return sold.length > PRODUCTS_NAMED ? [...lines, `- ${sold.length - PRODUCTS_NAMED} more products`] : lines;
}

function added(one: SaleFigures, other: SaleFigures): SaleFigures {
  return Object.fromEntries(METRICS.map((metric) => [metric, one[metric] + other[metric]])) as Record<
    SaleMetric,
    number
  >;
}
