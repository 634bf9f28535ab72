/**
 * Lists of licenses that have an expiry, soonest first. Each statement reads the index of its status from the cursor,
 * for all products at once or product by product, so a page costs the same for any number of licenses.
 */
import { type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import type { Dialect, Sql } from '../../storage/contract/storage.ts';
import { LICENSE_STATUSES, type LicenseStatus } from './license.ts';
import { licenseTable } from './license-table.ts';
import {
  LISTED_FIELDS,
  LISTED_STATUSES,
  type LicenseFilter,
  type ListedLicense,
  type ListedStatus,
  lapsedLicenses,
} from './listing-store.ts';

function textOf(dialect: Dialect, isOfProduct: boolean, status: ListedStatus): string {
  const scanOf = (table: string, agreed: Readonly<Record<string, string>>, filter: string) =>
    `select ${licenseTable.select(table, LISTED_FIELDS)} from ${table === 'u' ? 'lapsed u' : 'license l'} ${indexScan(
      dialect,
      {
        agreed,
        cursor: { [`${table}.expires_at`]: ':expiresAt', [`${table}.license_key`]: ':licenseKey' },
        last: { [`${table}.expires_at`]: ':until' },
        filter: `and ${table}.expires_at is not null ${filter}`,
        limit: ':limit',
        isRising: true,
      },
    )}`;
  // The index of one product has an expression, so that SQLite cannot take the index of all.
  const agreedIn = (mark: string): Record<string, string> =>
    isOfProduct ? { 'l.product_id': ':product', "l.status_mark || ''": mark } : { 'l.status_mark': mark };
  const marked = (mark: LicenseStatus, filter = '') => scanOf('l', agreedIn(`'${mark}'`), filter);
  const merged = (parts: readonly string[]) =>
    `select * from (${parts.map((part, index) => `select * from (${part}) part_${index}`).join(' union all ')}) listed
     order by "expiresAt", "licenseKey" limit :limit`;
  switch (status) {
    case 'any':
      return merged(LICENSE_STATUSES.map((mark) => marked(mark)));
    case 'revoked':
      return marked('revoked');
    case 'active':
      // Skips licenses that expired since the last tidying.
      return marked('active', 'and (l.ends_at is null or l.ends_at > :now)');
    case 'expired':
      return `with lapsed as materialized (${lapsedLicenses(dialect, isOfProduct)})
        ${merged([marked('expired', 'and l.ends_at <= :now'), scanOf('u', {}, '')])}`;
  }
}

const VALUES = ['expiresAt', 'licenseKey', 'limit', 'until', 'now', 'product'] as const;

const nameOf = (isOfProduct: boolean, status: ListedStatus) => `${isOfProduct ? 'product' : 'all'}_${status}`;

const statements = new Map<string, NamedStatement<(typeof VALUES)[number]>>();
for (const isOfProduct of [false, true])
  for (const status of LISTED_STATUSES) {
    const name = nameOf(isOfProduct, status);
    statements.set(
      name,
      new NamedStatement(`license.list_by_expiry_${name}`, VALUES, (dialect) => textOf(dialect, isOfProduct, status)),
    );
  }

/** The start of a page of licenses by expiry: after this time and key. */
export interface ExpiryPosition {
  readonly expiresAt: string;
  readonly licenseKey: string;
}

/**
 * A page of licenses that expire up to a time, soonest first.
 *
 * @param filter `productIds` each once; null lists licenses of all products
 * @param until 24-character timestamp, inclusive
 * @param now 24-character timestamp that decides which licenses have expired
 */
export function listLicensesByExpiry(
  sql: Sql,
  { productIds, status = 'any' }: Pick<LicenseFilter, 'productIds'> & { readonly status?: ListedStatus | undefined },
  after: ExpiryPosition,
  until: string,
  limit: number,
  now: string,
): Promise<readonly ListedLicense[]> {
  const page = statements.get(nameOf(productIds !== null, status))!;
  const scans = (productIds ?? [null]).map(
    (product): IndexScan<ListedLicense> =>
      (from, { expiresAt, licenseKey } = after as ListedLicense, most) =>
        page.all<ListedLicense>(from, { expiresAt, licenseKey, limit: most, until, now, product }),
  );
  return mergeScans(sql, scans, soonestFirst, limit);
}

/** Orders by expiry, which is never null in these lists. */
function soonestFirst(one: ListedLicense, other: ListedLicense): number {
  const [first, second] = [one.expiresAt ?? '', other.expiresAt ?? ''];
  if (first !== second) return first < second ? -1 : 1;
  if (one.licenseKey === other.licenseKey) return 0;
  return one.licenseKey < other.licenseKey ? -1 : 1;
}
