/**
 * Current figures of an overview. Each statement reads a bounded number of index rows, so its cost does not depend on
 * the amount of data; a figure says if there is more.
 */
import type { StatisticStep } from '../../licensing/observed-calls/statistic-table.ts';
import { GRAVEST_LEVEL } from '../../licensing/violations/violation.ts';
import { indexScan } from '../../storage/contract/list.ts';
import { listOf, type Sql, statement } from '../../storage/contract/storage.ts';
import { statementByProduct } from './product-statement-store.ts';

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

const [ALL_MARKS, MARKS_OF_PRODUCT] = ['l.status_mark', "l.status_mark || ''"];

// The marks only select the index. A license that expires later and is not revoked has this mark, except one that a
// fast clock has marked, until the next tidying. '~' turns "before" into "not after".
const countExpiringOf = statementByProduct(
  'license.count_expiring',
  '$4',
  (dialect, product) =>
    `select count(*) as "count" from (select l.license_key from license l ${indexScan(dialect, {
      // The index of one product has an expression.
      agreed: { ...agreedIn('l.product_id', product), [product === null ? ALL_MARKS : MARKS_OF_PRODUCT]: "'active'" },
      cursor: { 'l.expires_at': "$2 || '~'" },
      filter: 'and l.expires_at is not null and l.expires_at > $1',
      limit: '$3',
    })}) found`,
);

// The index is ordered by severity, and open violations are few.
const countOpenOf = statementByProduct(
  'violation.count_open',
  '$2',
  (dialect, product) => `select o.severity as "severity", count(*) as "count" from (
     select v.severity from violation v ${indexScan(dialect, {
       agreed: agreedIn('v.product_id', product),
       cursor: { 'v.severity': `${GRAVEST_LEVEL + 1}` },
       filter: 'and v.resolved_at is null',
       limit: '$1',
     })}) o
   group by o.severity order by o.severity desc`,
);

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
  let count = 0;
  for (const productId of productIds ?? [null]) {
    if (count === most) break;
    const [found] = await countExpiringOf<{ count: number }>(sql, productId, after, until, most - count);
    count += found?.count ?? 0;
  }
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
    let ofProduct = 0;
    for (const { severity, count } of await countOpenOf<OpenViolations>(sql, productId, most)) {
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
