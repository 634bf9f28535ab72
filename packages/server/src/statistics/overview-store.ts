/**
 * What an overview shows of the present. Each statement ends after a bounded number of rows of an index, so that it costs
 * the same however much there is; the figures say when there is more.
 */
import { walkAlong } from '../endpoint/page.ts';
import { GRAVEST_LEVEL } from '../licenses/violation.ts';
import type { StatisticStep } from '../observed-calls/statistic-table.ts';
import { listOf, type Sql, statement } from '../storage/storage.ts';

/** Licenses and violations of one figure that are counted at most. */
const COUNTED_AT_MOST = 1_000;

/** A figure; when `isAtLeast`, counting ended before the end. */
export interface BoundedCount {
  readonly count: number;
  readonly isAtLeast: boolean;
}

/** How many open violations of one severity were counted. */
export interface OpenViolations {
  readonly severity: number;
  readonly count: number;
}

/** In which rows agree where figures are those of one product. */
const agreedIn = (column: string, product: string | null) => (product === null ? {} : { [column]: product });

// The marks lead to the index alone: a license that expires later and is not revoked bears this mark, save for one that a
// clock far ahead has marked, until the next tidying. '~' makes `before` of `not after`.
const expiring = (name: string, product: string | null) =>
  statement(
    name,
    (dialect) =>
      `select count(*) as "count" from (select l.license_key from license l ${walkAlong(dialect, {
        agreed: agreedIn('l.product_id', product),
        cursor: { 'l.expires_at': "$2 || '~'" },
        filter: "and l.status_mark = 'active' and l.expires_at is not null and l.expires_at > $1",
        limit: '$3',
      })}) found`,
  );
const countExpiringOfAll = expiring('license.count_expiring', null);
const countExpiringOfProduct = expiring('license.count_expiring_of_product', '$4');

// Their index is ordered by severity; open violations are few.
const open = (name: string, product: string | null) =>
  statement(
    name,
    (dialect) => `select o.severity as "severity", count(*) as "count" from (
       select v.severity from violation v ${walkAlong(dialect, {
         agreed: agreedIn('v.product_id', product),
         cursor: { 'v.severity': `${GRAVEST_LEVEL + 1}` },
         filter: 'and v.resolved_at is null',
         limit: '$1',
       })}) o
     group by o.severity order by o.severity desc`,
  );
const countOpenOfAll = open('violation.count_open', null);
const countOpenOfProduct = open('violation.count_open_of_product', '$2');

const sumByMetric = statement(
  'statistic.sum_by_metric',
  (dialect) => `select s.metric as "metric", sum(s.value) as "value" from statistic s
   where s.product_id ${dialect.among('$1')} and s.step = $2 and s.metric ${dialect.among('$3')} and s.at >= $4
   group by s.metric`,
);

/**
 * How many licenses that are active expire in a period.
 *
 * @param productIds null stands for all products
 * @param after timestamp; `until` likewise, and included
 */
export async function countExpiring(
  sql: Sql,
  productIds: readonly string[] | null,
  after: string,
  until: string,
): Promise<BoundedCount> {
  const most = COUNTED_AT_MOST + 1;
  type Row = { readonly count: number };
  let count = 0;
  if (productIds === null) count = (await sql.first<Row>(countExpiringOfAll, after, until, most))?.count ?? 0;
  for (const productId of productIds ?? [])
    if (count < most)
      count += (await sql.first<Row>(countExpiringOfProduct, after, until, most - count, productId))?.count ?? 0;
  return { count: Math.min(count, COUNTED_AT_MOST), isAtLeast: count > COUNTED_AT_MOST };
}

/** How many violations are open, by severity; of each product {@link COUNTED_AT_MOST} at most, the gravest. */
export async function countOpenViolations(
  sql: Sql,
  productIds: readonly string[] | null,
): Promise<{ readonly severities: readonly OpenViolations[]; readonly isAtLeast: boolean }> {
  const most = COUNTED_AT_MOST + 1;
  const counted = new Map<number, number>();
  let isAtLeast = false;
  for (const productId of productIds ?? [null]) {
    const found = await (productId === null
      ? sql.all<OpenViolations>(countOpenOfAll, most)
      : sql.all<OpenViolations>(countOpenOfProduct, most, productId));
    let ofProduct = 0;
    for (const { severity, count } of found) {
      counted.set(severity, (counted.get(severity) ?? 0) + count);
      ofProduct += count;
    }
    isAtLeast ||= ofProduct > COUNTED_AT_MOST;
  }
  const severities = [...counted].map(([severity, count]) => ({ severity, count }));
  return { severities: severities.sort((one, other) => one.severity - other.severity), isAtLeast };
}

/** The figures of these metrics from a step on, those of all the products and steps added up, by metric. */
export function sumStatistics(
  sql: Sql,
  productIds: readonly string[],
  step: StatisticStep,
  metrics: readonly string[],
  from: string,
): Promise<{ readonly metric: string; readonly value: number }[]> {
  return sql.all(sumByMetric, listOf(productIds), step, listOf(metrics), from);
}
