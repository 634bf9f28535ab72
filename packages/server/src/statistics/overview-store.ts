/**
 * Current figures of an overview. Each statement reads a bounded number of index rows, so its cost does not depend on
 * the amount of data; a figure says if there is more.
 */
import type { StatisticStep } from '../observed-calls/statistic-table.ts';
import { indexScan } from '../storage/list.ts';
import { listOf, type Sql, statement } from '../storage/storage.ts';
import { GRAVEST_LEVEL } from '../violations/violation.ts';

/** Maximum number of licenses or violations counted per figure. */
const COUNTED_AT_MOST = 1_000;

/** A count; if `isAtLeast`, counting stopped at the bound. */
export interface BoundedCount {
  readonly count: number;
  readonly isAtLeast: boolean;
}

/** The number of open violations of one severity. */
export interface OpenViolations {
  readonly severity: number;
  readonly count: number;
}

/** The columns in which all rows agree if the figures are those of one product. */
const agreedIn = (column: string, product: string | null) => (product === null ? {} : { [column]: product });

// The marks only select the index. A license that expires later and is not revoked has this mark, except one that a
// fast clock has marked, until the next tidying. '~' turns "before" into "not after".
const expiring = (name: string, product: string | null) =>
  statement(
    name,
    (dialect) =>
      `select count(*) as "count" from (select l.license_key from license l ${indexScan(dialect, {
        agreed: agreedIn('l.product_id', product),
        cursor: { 'l.expires_at': "$2 || '~'" },
        filter: "and l.status_mark = 'active' and l.expires_at is not null and l.expires_at > $1",
        limit: '$3',
      })}) found`,
  );
const countExpiringOfAll = expiring('license.count_expiring', null);
const countExpiringOfProduct = expiring('license.count_expiring_of_product', '$4');

// The index is ordered by severity, and open violations are few.
const open = (name: string, product: string | null) =>
  statement(
    name,
    (dialect) => `select o.severity as "severity", count(*) as "count" from (
       select v.severity from violation v ${indexScan(dialect, {
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
 * The number of active licenses that expire in a period.
 *
 * @param productIds null stands for all products
 * @param after timestamp, exclusive; `until` is a timestamp, inclusive
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

/** The number of open violations by severity; at most {@link COUNTED_AT_MOST} per product, the gravest first. */
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

/** The sums of these metrics since a step, over all the products and steps. */
export function sumStatistics(
  sql: Sql,
  productIds: readonly string[],
  step: StatisticStep,
  metrics: readonly string[],
  from: string,
): Promise<{ readonly metric: string; readonly value: number }[]> {
  return sql.all(sumByMetric, listOf(productIds), step, listOf(metrics), from);
}
