/**
 * Lists of licenses, newest first. Each statement walks an index from the page's cursor and stops at the limit, so that
 * a page costs the same however many licenses there are; there is one statement per combination of filters, because a
 * filter that may be absent could not use its index.
 *
 * A creator's list is made of one walk for each of its products. No walk ever meets a license of another creator, so
 * that nobody can learn of those, or be slowed by them.
 */
import { mergeWalks, type Walk } from '../endpoint/merged-walks.ts';
import { type PageCursor, pageAlong } from '../endpoint/page.ts';
import { type Dialect, type Sql, type Statement, statement } from '../storage/storage.ts';
import { foldEmail, LICENSE_STATUSES, type License, type LicenseStatus } from './license.ts';
import { licenseTable } from './license-table.ts';

/** What a list shows of a license, with details, or computes its status by. */
export const LISTED_FIELDS = [
  'licenseKey',
  'email',
  'productId',
  'variant',
  'revocation',
  'maxMachines',
  'createdAt',
  'expiresAt',
  'licenseType',
  'machinesUsed',
  'maxConcurrent',
  'threatLevel',
] as const satisfies readonly (keyof License)[];
/** A license as lists read it. */
export type ListedLicense = Pick<License, (typeof LISTED_FIELDS)[number]>;

/** What to list; what is undefined does not filter. */
export interface LicenseFilter {
  /** The only products whose licenses are listed, each once: one walk each. Null lists those of all products. */
  readonly productIds: readonly string[] | null;
  readonly purchaseId: string | undefined;
  readonly email: string | undefined;
  readonly variant: string | undefined;
  readonly status: LicenseStatus | undefined;
}

/** What leads to the rows of a list beside the product; of several that are given, the first leads to the fewest. */
const LEADS = ['purchase', 'email', 'variant', 'none'] as const;
type Lead = (typeof LEADS)[number];
const STATUSES = ['any', ...LICENSE_STATUSES] as const;
type Status = (typeof STATUSES)[number];

/** The columns that are looked at, row by row, where they are given: the rows of what leads are one customer's. */
const PASSED_OVER = { purchase: ['email_folded', 'variant'], email: ['variant'], variant: [], none: [] } as const;
/** What leads, as its index has it. An index on an expression is taken by these lists and by no other look-up. */
const LEADING_COLUMN = {
  purchase: "purchase_id || ''",
  email: 'email_folded',
  variant: "variant || ''",
  none: null,
} as const;

const COLUMNS = licenseTable.select('l', LISTED_FIELDS);

/** Whether a statement is told the present time, as $4. */
const isTimed = (status: Status) => status === 'active' || status === 'expired';

function textOf(dialect: Dialect, lead: Lead, isOfProduct: boolean, status: Status): string {
  let last = isTimed(status) ? 4 : 3;
  const next = () => `$${++last}`;
  const leading = LEADING_COLUMN[lead];
  const leadingValue = leading === null ? null : next();
  const product = isOfProduct ? next() : undefined;
  // The comparison comes first because PostgreSQL takes the parameter's type from its first use.
  const passedOver = PASSED_OVER[lead].map((column) => ({ column, value: next() }));
  const among = (table: string) =>
    passedOver.map(({ column, value }) => `and (${table}.${column} = ${value} or ${value} is null)`).join(' ');
  const isLed = (table: string) => (leading === null ? '' : `and ${table}.${leading} = ${leadingValue}`);
  // All rows of a list agree in its product, so that no other index than one that leads to this product has its order.
  const agreed: Record<string, string> =
    product !== undefined ? { product_id: product } : leading === null ? {} : { [leading]: leadingValue as string };
  const ofLead = product === undefined ? '' : isLed('l');
  // One purchase has few licenses: their status is computed, and needs neither marks nor an index.
  if (lead === 'purchase')
    return `select ${COLUMNS} from license l ${pageAlong(dialect, 'l', 'license_key', agreed, `${ofLead} ${among('l')} ${COMPUTED[status]}`)}`;
  const marked = status === 'any' ? agreed : { ...agreed, status_mark: `'${status}'` };
  const page = (isStatus = '') =>
    `select ${COLUMNS} from license l ${pageAlong(dialect, 'l', 'license_key', marked, `${ofLead} ${among('l')} ${isStatus}`)}`;
  switch (status) {
    case 'any':
    case 'revoked':
      return page();
    case 'active':
      // Passes over those that lapsed since the last tidying.
      return page('and (l.expires_at is null or l.expires_at > $4)');
    case 'expired': {
      // As an expression where that keeps SQLite from the index by expiry, which leads to what lapsed of every variant.
      const expiry = lead === 'variant' ? `l.expires_at || ''` : 'l.expires_at';
      return `with lapsed as materialized (${lapsedLicenses(dialect, product)})
        select * from (
          select * from (${page(`and ${expiry} <= $4`)}) marked
          union all
          select * from (
            select ${licenseTable.select('u', LISTED_FIELDS)} from lapsed u
            ${pageAlong(dialect, 'u', 'license_key', {}, `${isLed('u')} ${among('u')}`)}) unmarked
        ) expired order by "createdAt" desc, "licenseKey" desc limit $3`;
    }
  }
}

/** A license of a purchase, and its status at the moment $4, as a condition. */
const COMPUTED: Readonly<Record<Status, string>> = {
  any: 'and l.purchase_id is not null',
  revoked: 'and l.purchase_id is not null and l.revocation is not null',
  active: 'and l.purchase_id is not null and l.revocation is null and (l.expires_at is null or l.expires_at > $4)',
  expired: 'and l.purchase_id is not null and l.revocation is null and l.expires_at <= $4',
};

/**
 * Licenses that expired and bear no mark yet because the tidying has not come to them. They are found by their expiry,
 * all of them (of a product, where one is named) before anything else is asked, because they are few and no other index
 * leads to them. They are read by the same statement as those that are marked, so that one that is marked meanwhile is
 * listed once.
 */
function lapsedLicenses(dialect: Dialect, product: string | undefined): string {
  // '~' makes `before` of `not after`: it follows every character of a timestamp.
  const [agreed, cursor] = [product === undefined ? {} : { 'k.product_id': product }, { 'k.expires_at': `$4 || '~'` }];
  const order = Object.keys({ ...agreed, ...cursor }).map((column) => `${column} desc`);
  const columns = licenseTable.columns([...LISTED_FIELDS, 'emailFolded']).map((column) => `k.${column}`);
  return `select ${columns.join(', ')}
    from license k
    where k.status_mark = 'active' and k.expires_at is not null and ${dialect.afterCursor(agreed, cursor)}
    order by ${order.join(', ')}`;
}

/** What is in a statement's name: `email_product`, `email`, `product`, `all`. */
function sourceOf(lead: Lead, isOfProduct: boolean): string {
  const dialect = [...(lead === 'none' ? [] : [lead]), ...(isOfProduct ? ['product'] : [])];
  return dialect.length === 0 ? 'all' : dialect.join('_');
}

const statements = new Map<string, Statement>();
for (const lead of LEADS)
  for (const isOfProduct of [false, true])
    for (const status of STATUSES) {
      const name = `${sourceOf(lead, isOfProduct)}_${status}`;
      statements.set(
        name,
        statement(`license.list_${name}`, (dialect) => textOf(dialect, lead, isOfProduct, status)),
      );
    }

/**
 * A page of licenses, newest first.
 *
 * @param now 24-character timestamp; what is expired is decided by it
 */
export async function listLicenses(
  sql: Sql,
  filter: LicenseFilter,
  after: PageCursor,
  limit: number,
  now: string,
): Promise<readonly ListedLicense[]> {
  return mergeWalks(sql, walksOf(filter, after, now), newestFirst, limit);
}

function walksOf(
  { productIds, purchaseId, email, variant, status: asked }: LicenseFilter,
  cursor: PageCursor,
  now: string,
): readonly Walk<ListedLicense>[] {
  const status: Status = asked ?? 'any';
  const given = { purchase: purchaseId, email: email === undefined ? undefined : foldEmail(email), variant, none: '' };
  const lead = LEADS.find((each) => given[each] !== undefined) ?? 'none';
  const first = [...(isTimed(status) ? [now] : []), ...(lead === 'none' ? [] : [given[lead] ?? null])];
  const columns = { email_folded: given.email, variant };
  const passedOver = PASSED_OVER[lead].map((column) => columns[column] ?? null);
  const page = statements.get(`${sourceOf(lead, productIds !== null)}_${status}`) as Statement;
  return (productIds ?? [null]).map((productId) => {
    const values = [...first, ...(productId === null ? [] : [productId]), ...passedOver];
    return (sql, after, limit) => {
      const [createdAt, key] =
        after === undefined ? [cursor.createdAt, cursor.id] : [after.createdAt, after.licenseKey];
      return sql.all<ListedLicense>(page, createdAt, key, limit, ...values);
    };
  });
}

function newestFirst(one: ListedLicense, other: ListedLicense): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  if (one.licenseKey === other.licenseKey) return 0;
  return one.licenseKey < other.licenseKey ? 1 : -1;
}
