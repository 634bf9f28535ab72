/**
 * Lists of licenses, newest first. Each statement walks an index from the page's place and stops at the limit, so that
 * a page costs the same however many licenses there are; there is one statement per combination of filters, because a
 * filter that may be absent could not use its index.
 *
 * A creator's list is made of one walk for each of its products. No walk ever meets a license of another creator, so
 * that nobody can learn of those, or be slowed by them.
 */
import { type PagePlace, pageAlong } from '../endpoint/page.ts';
import { type Sql, type Statement, statement, type Value, type Words } from '../storage/storage.ts';
import { foldEmail, LICENSE_STATUSES, type License, type LicenseStatus } from './license.ts';
import { licenseTable } from './license-table.ts';

/** What a list shows of a license, or computes its status by. */
const LISTED_FIELDS = [
  'licenseKey',
  'email',
  'productId',
  'variant',
  'revocation',
  'maxMachines',
  'createdAt',
  'expiresAt',
] as const satisfies readonly (keyof License)[];
export type ListedLicense = Pick<License, (typeof LISTED_FIELDS)[number]>;

/** What to list. */
export interface LicenseFilter {
  /** The only products whose licenses are listed, each once: one walk each. Null lists those of all products. */
  readonly productIds: readonly string[] | null;
  readonly email: string | undefined;
  readonly status: LicenseStatus | undefined;
}

const SOURCES = ['all', 'product', 'email', 'email_product'] as const;
type Source = (typeof SOURCES)[number];
const STATUSES = ['any', ...LICENSE_STATUSES] as const;
type Status = (typeof STATUSES)[number];

const COLUMNS = licenseTable.select('l', LISTED_FIELDS);

/** Whether a statement is told the present time, as $4. */
const isTimed = (status: Status) => status === 'active' || status === 'expired';

function textOf(words: Words, source: Source, status: Status): string {
  const [first, second] = isTimed(status) ? ['$5', '$6'] : ['$4', '$5'];
  const email = source.startsWith('email') ? first : undefined;
  const product = source === 'product' ? first : source === 'email_product' ? second : undefined;
  // All rows of a list agree in its product, so that no other index than one that leads to this product has its order.
  const agreed = {
    ...(product === undefined ? (email === undefined ? {} : { email_folded: email }) : { product_id: product }),
    ...(status === 'any' ? {} : { status_mark: `'${status}'` }),
  };
  const ofEmail = email === undefined || product === undefined ? '' : `and l.email_folded = ${email}`;
  const page = (isStatus = '') =>
    `select ${COLUMNS} from license l ${pageAlong(words, 'l', 'license_key', agreed, `${ofEmail} ${isStatus}`)}`;
  switch (status) {
    case 'any':
    case 'revoked':
      return page();
    case 'active':
      // Passes over those that lapsed since the last tidying.
      return page('and (l.expires_at is null or l.expires_at > $4)');
    case 'expired': {
      const lapsedOfEmail = email === undefined ? '' : `and u.email_folded = ${email}`;
      return `with lapsed as materialized (${lapsedLicenses(words, product)})
        select * from (
          select * from (${page('and l.expires_at <= $4')}) marked
          union all
          select * from (
            select ${licenseTable.select('u', LISTED_FIELDS)} from lapsed u
            ${pageAlong(words, 'u', 'license_key', {}, lapsedOfEmail)}) unmarked
        ) expired order by "createdAt" desc, "licenseKey" desc limit $3`;
    }
  }
}

/**
 * Licenses that expired and bear no mark yet because the tidying has not come to them. They are found by their expiry,
 * all of them (of a product, where one is named) before anything else is asked, because they are few and no other index
 * leads to them. They are read by the same statement as those that are marked, so that one that is marked meanwhile is
 * listed once.
 */
function lapsedLicenses(words: Words, product: string | undefined): string {
  // '~' makes `before` of `not after`: it follows every character of a timestamp.
  const [agreed, place] = [product === undefined ? {} : { 'k.product_id': product }, { 'k.expires_at': `$4 || '~'` }];
  const order = Object.keys({ ...agreed, ...place }).map((column) => `${column} desc`);
  const columns = licenseTable.columns([...LISTED_FIELDS, 'emailFolded']).map((column) => `k.${column}`);
  return `select ${columns.join(', ')}
    from license k
    where k.status_mark = 'active' and k.expires_at is not null and ${words.behind(agreed, place)}
    order by ${order.join(', ')}`;
}

const statements = new Map<string, Statement>();
for (const source of SOURCES)
  for (const status of STATUSES)
    statements.set(
      `${source} ${status}`,
      statement(`license.list_${source}_${status}`, (words) => textOf(words, source, status)),
    );

/** A list of one product, or of all: a statement and the values of its filters. */
interface Walk {
  readonly page: Statement;
  readonly values: readonly Value[];
}

/** How far a walk has been read. */
interface WalkRead extends Walk {
  readonly rows: readonly ListedLicense[];
  readonly isAtEnd: boolean;
}

/**
 * A page of licenses, newest first.
 *
 * @param now 24-character timestamp; what is expired is decided by it
 */
export async function listLicenses(
  sql: Sql,
  filter: LicenseFilter,
  after: PagePlace,
  limit: number,
  now: string,
): Promise<readonly ListedLicense[]> {
  const walks = walksOf(filter, now);
  // Whole pages of thirty products would be read to show one. Instead each is read in parts that grow, as far as needed.
  let part = Math.min(limit, Math.ceil((2 * limit) / Math.max(walks.length, 1)));
  let reads: readonly WalkRead[] = walks.map((walk) => ({ ...walk, rows: [], isAtEnd: false }));
  for (;;) {
    const page = reads
      .flatMap(({ rows }) => rows)
      .sort(newestFirst)
      .slice(0, limit);
    const last = page.length < limit ? undefined : page.at(-1);
    if (reads.every((walk) => isReadBeyond(walk, last))) return page;
    const next: WalkRead[] = [];
    for (const walk of reads) next.push(isReadBeyond(walk, last) ? walk : await readOn(sql, walk, after, part));
    reads = next;
    part = Math.min(limit, 2 * part);
  }
}

/** Whether nothing that a walk has still to offer is newer than the last license of a full page. */
function isReadBeyond({ rows, isAtEnd }: WalkRead, last: ListedLicense | undefined): boolean {
  const deepest = rows.at(-1);
  return isAtEnd || (last !== undefined && deepest !== undefined && newestFirst(deepest, last) >= 0);
}

async function readOn(sql: Sql, walk: WalkRead, after: PagePlace, part: number): Promise<WalkRead> {
  const deepest = walk.rows.at(-1);
  const [createdAt, key] =
    deepest === undefined ? [after.createdAt, after.id] : [deepest.createdAt, deepest.licenseKey];
  const found = await sql.all<ListedLicense>(walk.page, createdAt, key, part, ...walk.values);
  return { ...walk, rows: [...walk.rows, ...found], isAtEnd: found.length < part };
}

function walksOf({ productIds, email, status }: LicenseFilter, now: string): readonly Walk[] {
  const page = (source: Source) => statements.get(`${source} ${status ?? 'any'}`) as Statement;
  const times = isTimed(status ?? 'any') ? [now] : [];
  const emails = email === undefined ? [] : [foldEmail(email)];
  if (productIds === null)
    return [{ page: page(email === undefined ? 'all' : 'email'), values: [...times, ...emails] }];
  const ofProduct = page(email === undefined ? 'product' : 'email_product');
  return productIds.map((productId) => ({ page: ofProduct, values: [...times, ...emails, productId] }));
}

function newestFirst(one: ListedLicense, other: ListedLicense): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  if (one.licenseKey === other.licenseKey) return 0;
  return one.licenseKey < other.licenseKey ? 1 : -1;
}
