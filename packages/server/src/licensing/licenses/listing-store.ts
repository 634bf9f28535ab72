/**
 * Lists of licenses by creation, newest or oldest first. Each statement reads an index from the cursor up to the limit,
 * so a page costs the same for any number of licenses. Each combination of filters has its own statement, because an
 * optional filter could not use its index.
 *
 * A creator's list merges one index scan for each of its products. No scan reads a license of another creator, so
 * nobody can detect those or be slowed by them.
 */

import { foldEmail } from '../../ground/base/typed-text.ts';
import { fallingBy, type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { NamedStatement, pageAlong } from '../../storage/contract/list.ts';
import type { Dialect, Sql } from '../../storage/contract/storage.ts';
import { LICENSE_STATUSES, type License, type LicenseStatus } from './license.ts';
import { licenseTable } from './license-table.ts';

/** The fields of a license that lists show or compute its status from. */
export const LISTED_FIELDS = [
  'licenseKey',
  'issuedKey',
  'email',
  'productId',
  'variant',
  'revocation',
  'maxMachines',
  'createdAt',
  'expiresAt',
  'graceDays',
  'terms',
  'licenseType',
  'machinesUsed',
  'maxConcurrent',
  'threatLevel',
] as const satisfies readonly (keyof License)[];
/** A license as lists read it. */
export interface ListedLicense extends Omit<Pick<License, (typeof LISTED_FIELDS)[number]>, 'terms'> {
  /** JSON text as the row stores it. */
  readonly terms: string | null;
}

/**
 * The filters by a column, each by the name of its parameter, which also stands in the names of statements. Of several
 * given, the index of the first leads to the rows of a list: it is the most selective.
 */
const COLUMN_FILTERS = { purchase: 'purchaseId', email: 'email', variant: 'variant' } as const;
type ColumnFilter = keyof typeof COLUMN_FILTERS;
const LEADING_FIELDS = ['purchase', 'email', 'variant', 'none'] as const satisfies (ColumnFilter | 'none')[];
type LeadingField = ColumnFilter | 'none';

/** The filter of a list; undefined fields do not filter. */
export type LicenseFilter = {
  readonly [Field in (typeof COLUMN_FILTERS)[ColumnFilter]]?: string | undefined;
} & {
  /** The products to list, each once; each takes one index scan. Null lists licenses of all products. */
  readonly productIds: readonly string[] | null;
  readonly status?: LicenseStatus | undefined;
};

/** The filters besides the products and metadata, in the order of the reference. */
export const FILTER_FIELDS = [...Object.values(COLUMN_FILTERS), 'status'] as const;

/** The orders of a list by creation. */
const CREATION_ORDERS = ['newest', 'oldest'] as const;
export type CreationOrder = (typeof CREATION_ORDERS)[number];

export const LISTED_STATUSES = ['any', ...LICENSE_STATUSES] as const;
export type ListedStatus = (typeof LISTED_STATUSES)[number];

/** Fields filtered row by row when given, because the leading field already narrows the rows to one customer. */
const PASSED_OVER = {
  purchase: ['email', 'variant'],
  email: ['variant'],
  variant: [],
  none: [],
} as const satisfies Record<LeadingField, ColumnFilter[]>;
const COLUMN_OF = { email: 'email_folded', variant: 'variant' } as const;
/** The leading field as its index stores it. Only these lists use an index on an expression; no other look-up does. */
const LEADING_COLUMN = {
  purchase: "purchase_id || ''",
  email: 'email_folded',
  variant: "variant || ''",
  none: null,
} as const satisfies Record<LeadingField, string | null>;

const COLUMNS = licenseTable.select('l', LISTED_FIELDS);

function textOf(
  dialect: Dialect,
  leadingField: LeadingField,
  isOfProduct: boolean,
  status: ListedStatus,
  order: CreationOrder,
): string {
  const leading = LEADING_COLUMN[leadingField];
  const leadingValue = `:${leadingField}`;
  // The comparison comes first because PostgreSQL takes the parameter's type from its first use.
  const among = (table: string) =>
    PASSED_OVER[leadingField]
      .map((each) => `and (${table}.${COLUMN_OF[each]} = :${each} or :${each} is null)`)
      .join(' ');
  const isLed = (table: string) => (leading === null ? '' : `and ${table}.${leading} = ${leadingValue}`);
  // Every row of a list has the same product, so only an index that starts with the product has its order.
  const agreed: Record<string, string> = isOfProduct
    ? { product_id: ':product' }
    : leading === null
      ? {}
      : { [leading]: leadingValue };
  const ofLeading = isOfProduct ? isLed('l') : '';
  const isRising = order === 'oldest';
  // One purchase has few licenses: their status is computed, without marks or an index.
  if (leadingField === 'purchase')
    return `select ${COLUMNS} from license l ${pageAlong(dialect, 'l', 'license_key', agreed, { filter: `${ofLeading} ${among('l')} ${COMPUTED[status]}`, isRising })}`;
  const marked = status === 'any' ? agreed : { ...agreed, status_mark: `'${status}'` };
  const page = (isStatus = '') =>
    `select ${COLUMNS} from license l ${pageAlong(dialect, 'l', 'license_key', marked, { filter: `${ofLeading} ${among('l')} ${isStatus}`, isRising })}`;
  switch (status) {
    case 'any':
    case 'revoked':
      return page();
    case 'active':
      // Skips licenses that expired since the last tidying.
      return page('and (l.ends_at is null or l.ends_at > :now)');
    case 'expired': {
      // The expression keeps SQLite from using the index by end, which would read expired licenses of every variant.
      const end = leadingField === 'variant' ? `l.ends_at || ''` : 'l.ends_at';
      return `with lapsed as materialized (${lapsedLicenses(dialect, isOfProduct)})
        select * from (
          select * from (${page(`and ${end} <= :now`)}) marked
          union all
          select * from (
            select ${licenseTable.select('u', LISTED_FIELDS)} from lapsed u
            ${pageAlong(dialect, 'u', 'license_key', {}, { filter: `${isLed('u')} ${among('u')}`, isRising })}) unmarked
        ) expired order by "createdAt" ${isRising ? 'asc' : 'desc'}, "licenseKey" ${isRising ? 'asc' : 'desc'} limit :limit`;
    }
  }
}

/** The SQL condition for a license of a purchase with a given status now. */
const COMPUTED: Readonly<Record<ListedStatus, string>> = {
  any: 'and l.purchase_id is not null',
  revoked: 'and l.purchase_id is not null and l.revocation is not null',
  active: 'and l.purchase_id is not null and l.revocation is null and (l.ends_at is null or l.ends_at > :now)',
  expired: 'and l.purchase_id is not null and l.revocation is null and l.ends_at <= :now',
};

/**
 * Licenses that have expired but are not marked yet, because the tidying has not reached them. They are found by their
 * end before any other filter (within the product, if one is given), because they are few and no other index leads to
 * them. The statement for marked licenses reads them too, so that a license marked meanwhile is listed once.
 */
export function lapsedLicenses(dialect: Dialect, isOfProduct: boolean): string {
  // '~' sorts after every character of a timestamp, so it turns `before` into `not after`.
  const [agreed, cursor] = [isOfProduct ? { 'k.product_id': ':product' } : {}, { 'k.ends_at': `:now || '~'` }];
  const order = Object.keys({ ...agreed, ...cursor }).map((column) => `${column} desc`);
  const columns = new Set([...licenseTable.columns(LISTED_FIELDS), ...Object.values(COLUMN_OF)]);
  return `select ${[...columns].map((column) => `k.${column}`).join(', ')}
    from license k
    where k.status_mark = 'active' and k.ends_at is not null and ${dialect.afterCursor(agreed, cursor)}
    order by ${order.join(', ')}`;
}

/** The source in a statement's name: `email_product`, `email`, `product`, `all`. */
function sourceOf(leadingField: LeadingField, isOfProduct: boolean): string {
  const dialect = [...(leadingField === 'none' ? [] : [leadingField]), ...(isOfProduct ? ['product'] : [])];
  return dialect.length === 0 ? 'all' : dialect.join('_');
}

/** The name of a statement: `email_product_active`, `all_any_oldest`. */
function nameOf(leadingField: LeadingField, isOfProduct: boolean, status: ListedStatus, order: CreationOrder): string {
  return `${sourceOf(leadingField, isOfProduct)}_${status}${order === 'oldest' ? '_oldest' : ''}`;
}

/** The values of a list with a leading field, in the order of the parameters. */
const valuesOf = (leadingField: LeadingField) =>
  ['createdAt', 'id', 'limit', 'now', leadingField, 'product', 'email', 'variant'] as const;

const statements = new Map<string, NamedStatement<ReturnType<typeof valuesOf>[number]>>();
for (const leadingField of LEADING_FIELDS)
  for (const isOfProduct of [false, true])
    for (const status of LISTED_STATUSES)
      for (const order of CREATION_ORDERS) {
        const name = nameOf(leadingField, isOfProduct, status, order);
        statements.set(
          name,
          new NamedStatement(`license.list_${name}`, valuesOf(leadingField), (dialect) =>
            textOf(dialect, leadingField, isOfProduct, status, order),
          ),
        );
      }

/**
 * A page of licenses by creation.
 *
 * @param now 24-character timestamp that decides which licenses have expired
 */
export async function listLicenses(
  sql: Sql,
  filter: LicenseFilter,
  after: PageCursor,
  limit: number,
  now: string,
  order: CreationOrder = 'newest',
): Promise<readonly ListedLicense[]> {
  return mergeScans(sql, scansOf(filter, after, now, order), order === 'newest' ? newestFirst : oldestFirst, limit);
}

function scansOf(
  { productIds, status: asked, ...filter }: LicenseFilter,
  cursor: PageCursor,
  now: string,
  order: CreationOrder,
): readonly IndexScan<ListedLicense>[] {
  const given = { none: '', ...columnValues(filter) };
  const leadingField = LEADING_FIELDS.find((each) => given[each] !== null) ?? 'none';
  const page = statements.get(nameOf(leadingField, productIds !== null, asked ?? 'any', order))!;
  return (productIds ?? [null]).map(
    (product) => (sql, after, limit) =>
      page.all<ListedLicense>(sql, {
        ...{ ...given, now, product, limit },
        ...(after === undefined ? cursor : { createdAt: after.createdAt, id: after.licenseKey }),
      }),
  );
}

/** The value of each filter by a column, as the column stores it; null if it is not given. */
function columnValues({
  purchaseId,
  email,
  variant,
}: Omit<LicenseFilter, 'productIds' | 'status'>): Readonly<Record<ColumnFilter, string | null>> {
  return {
    purchase: purchaseId ?? null,
    email: email === undefined ? null : foldEmail(email),
    variant: variant ?? null,
  };
}

/** Orders licenses as lists do. */
export const newestFirst = fallingBy('createdAt', 'licenseKey');
const oldestFirst = (one: ListedLicense, other: ListedLicense) => newestFirst(other, one);
