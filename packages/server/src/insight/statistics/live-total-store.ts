/**
 * Counts the licenses of a small shop when they are asked for. A statement reads at most {@link FEWEST_OF_LARGE_SHOP}
 * licenses along an index, with three look-ups for each license that has floating sessions.
 */
import { LICENSE_STATUSES, type LicenseStatus, UNLIMITED_MACHINES } from '../../licensing/licenses/license.ts';
import { countsSessions, LICENSE_TYPES } from '../../licensing/products/license-type.ts';
import { indexScan } from '../../storage/contract/list.ts';
import type { Dialect, Sql } from '../../storage/contract/storage.ts';
import {
  FULL_SHARE,
  FULLEST_POOLS,
  type FullPool,
  type LicenseTotal,
  NO_LICENSES,
  sumOfTotals,
} from './license-total.ts';
import { statementByProduct } from './product-statement-store.ts';

/** A shop of this number of licenses or more gets the totals of the last count in the background. */
export const FEWEST_OF_LARGE_SHOP = 10_000;

const SESSION_TYPES = LICENSE_TYPES.filter(countsSessions)
  .map((type) => `'${type}'`)
  .join(', ');

/**
 * The first licenses in order of creation, with the computed columns of {@link LicenseCount}: status at the moment $1,
 * live sessions, limit of slots, and used slots. $2 is their number.
 */
const licensesOf = (dialect: Dialect, product: string | null) =>
  `(select c.license_key, c.status, c.live, c.slots,
      case when c.license_type in (${SESSION_TYPES}) then c.live else c.machines_used end as used
    from (select l.license_key, l.license_type, l.machines_used,
        case when l.revocation is not null then 'revoked' when l.ends_at <= $1 then 'expired' else 'active' end
          as status,
        case when l.sessions_held = 0 then 0 else l.sessions_held - (select count(*) from activation a
          where a.license_key = l.license_key and a.session_due is not null and a.session_due <= $1
            and a.session_deadline <= $1) end as live,
        case when l.license_type in (${SESSION_TYPES}) then coalesce(l.max_concurrent, l.max_machines)
          else l.max_machines end as slots
      from license l ${indexScan(dialect, {
        agreed: product === null ? {} : { 'l.product_id': product },
        cursor: { 'l.created_at': "''", 'l.license_key': "''" },
        limit: '$2',
        isRising: true,
      })}) c)`;

const countLive = statementByProduct(
  'license.count_live',
  '$3',
  (dialect, product) => `select c.status as "status", count(*) as "count", sum(c.live) as "live"
    from ${licensesOf(dialect, product)} c group by c.status`,
);

const [FULL, WHOLE] = FULL_SHARE;
const listFullest = statementByProduct(
  'license.list_fullest',
  '$3',
  (dialect, product) => `select c.license_key as "licenseKey", c.slots as "limit" from ${licensesOf(dialect, product)} c
    where c.status = 'active' and c.slots <> ${UNLIMITED_MACHINES} and c.used * ${WHOLE} >= c.slots * ${FULL}
    order by c.slots desc, c.license_key limit ${FULLEST_POOLS}`,
);

/**
 * The totals of some products at a moment; null if they have {@link FEWEST_OF_LARGE_SHOP} licenses or more.
 *
 * @param productIds each once; null stands for all products
 * @param now timestamp
 */
export async function findLiveTotal(
  sql: Sql,
  productIds: readonly string[] | null,
  now: string,
): Promise<LicenseTotal | null> {
  let total = NO_LICENSES;
  let left = FEWEST_OF_LARGE_SHOP;
  for (const productId of productIds ?? [null]) {
    const counted = await countLicensesOf(sql, productId, now, left);
    left -= LICENSE_STATUSES.reduce((sum, status) => sum + counted[status], 0);
    if (left <= 0) return null;
    const fullestPools = await listFullest<FullPool>(sql, productId, now, FEWEST_OF_LARGE_SHOP);
    total = sumOfTotals(total, { ...counted, fullestPools });
  }
  return total;
}

async function countLicensesOf(
  sql: Sql,
  productId: string | null,
  now: string,
  limit: number,
): Promise<Omit<LicenseTotal, 'fullestPools'>> {
  type Row = { readonly status: LicenseStatus; readonly count: number; readonly live: number };
  const rows = await countLive<Row>(sql, productId, now, limit);
  const of = (sought: LicenseStatus) => rows.find(({ status }) => status === sought)?.count ?? 0;
  return {
    active: of('active'),
    revoked: of('revoked'),
    expired: of('expired'),
    liveSessions: rows.reduce((sum, { live }) => sum + live, 0),
  };
}
