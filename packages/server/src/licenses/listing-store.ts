/**
 * Lists of licenses, newest first. Each statement walks an index from the page's place and stops at the limit, so that
 * a page costs the same however many licenses there are; there is one statement per combination of filters, because a
 * filter that may be absent could not use its index.
 */
import type { PagePlace } from '../endpoint/page.ts';
import { type Sql, type Statement, statement, type Value } from '../storage/storage.ts';
import type { StoredRow } from '../storage/table.ts';
import { foldEmail, type License, type LicenseStatus } from './license.ts';
import { LICENSE_COLUMNS, licenseFrom } from './store.ts';

/** What to list. `creatorId` null lists everybody's. */
export interface LicenseFilter {
  readonly productId: string | undefined;
  readonly email: string | undefined;
  readonly status: LicenseStatus | undefined;
  readonly creatorId: string | null;
}

/**
 * How a status is found. `active` may meet licenses that lapsed since the last tidying and passes over them; those that
 * lapsed and bear no mark yet are found by their expiry, all of them before anything else is asked, because they are few
 * and no other index leads to them. $4 is the present time.
 */
const STATUS_CONDITIONS = {
  any: '',
  active: `and l.status_mark = 'active' and (l.expires_at is null or l.expires_at > $4)`,
  revoked: `and l.status_mark = 'revoked'`,
  expired: `and l.status_mark = 'expired' and l.expires_at <= $4`,
  lapsed: '',
} as const;
type StatusCondition = keyof typeof STATUS_CONDITIONS;

const LAPSED = `with lapsed as materialized (select * from license k
  where k.status_mark = 'active' and k.expires_at is not null and k.expires_at <= $4)`;

const isTimed = (condition: StatusCondition) => condition === 'lapsed' || STATUS_CONDITIONS[condition].includes('$4');

/** A sub-select and no join, or PostgreSQL may begin with the products and sort all licenses that it comes to. */
const CREATOR = '(select p.creator_id from product p where p.product_id = l.product_id)';

const SOURCES = {
  all: [],
  product: ['l.product_id'],
  email: ['l.email_folded'],
  email_product: ['l.email_folded', 'l.product_id'],
  email_creator: ['l.email_folded', CREATOR],
} as const;
type Source = keyof typeof SOURCES;

const statements = new Map<string, Statement>();
for (const [source, columns] of Object.entries(SOURCES) as [Source, readonly string[]][])
  for (const condition of Object.keys(STATUS_CONDITIONS) as StatusCondition[]) {
    const first = isTimed(condition) ? 5 : 4;
    const filters = columns.map((column, place) => `and ${column} = $${first + place}`).join(' ');
    statements.set(
      `${source} ${condition}`,
      statement(
        `license.list_${source}_${condition}`,
        `${condition === 'lapsed' ? LAPSED : ''}
         select ${LICENSE_COLUMNS} from ${condition === 'lapsed' ? 'lapsed' : 'license'} l
         where (l.created_at, l.license_key) < ($1, $2) ${STATUS_CONDITIONS[condition]} ${filters}
         order by l.created_at desc, l.license_key desc limit $3`,
      ),
    );
  }

/**
 * A page of licenses, newest first.
 *
 * @param productIds the creator's products, for a creator who names neither product nor e-mail: one walk each
 * @param now 24-character timestamp; what is expired is decided by it
 */
export async function listLicenses(
  sql: Sql,
  filter: LicenseFilter,
  productIds: readonly string[],
  after: PagePlace,
  limit: number,
  now: string,
): Promise<License[]> {
  const conditions: readonly StatusCondition[] =
    filter.status === undefined ? ['any'] : filter.status === 'expired' ? ['expired', 'lapsed'] : [filter.status];
  const found: License[] = [];
  for (const [source, values] of walksOf(filter, productIds))
    for (const condition of conditions) {
      const times = isTimed(condition) ? [now] : [];
      const text = statements.get(`${source} ${condition}`) as Statement;
      found.push(
        ...(await sql.all<StoredRow>(text, after.createdAt, after.id, limit, ...times, ...values)).map(licenseFrom),
      );
    }
  return found.sort(newestFirst).slice(0, limit);
}

function walksOf(filter: LicenseFilter, productIds: readonly string[]): readonly (readonly [Source, Value[]])[] {
  const { productId, creatorId } = filter;
  if (filter.email !== undefined) {
    const email = foldEmail(filter.email);
    if (productId !== undefined) return [['email_product', [email, productId]]];
    return creatorId === null ? [['email', [email]]] : [['email_creator', [email, creatorId]]];
  }
  if (productId !== undefined) return [['product', [productId]]];
  if (creatorId === null) return [['all', []]];
  return productIds.map((each) => ['product', [each]] as const);
}

function newestFirst(one: License, other: License): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  return one.licenseKey < other.licenseKey ? 1 : -1;
}
