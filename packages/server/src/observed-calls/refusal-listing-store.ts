/**
 * Finds refusals of all licenses by any combination of filters (rules 10.8), by when their rows began, newest first: that
 * is the order of their ids, which no repeat changes. One filter leads along an index; what the others leave out is passed
 * over, a bounded number of rows for each page (events/bounded-walks.ts).
 */
import { HOUR_MS, toTimestamp } from '../clock.ts';
import { NEWEST_ID, pageOfWalks } from '../events/bounded-walks.ts';
import { orderedPrefix } from '../random.ts';
import { type Sql, type Statement, statement, type Value } from '../storage/storage.ts';
import { type StoredRow, Table, textColumn } from '../storage/table.ts';
import { type KeptRefusal, type KeptRefusalCode, keptRefusalColumns } from './kept-refusal.ts';
import { listRefusals } from './store.ts';

/** Which refusals to list; what is undefined does not filter. */
export interface RefusalFilter {
  /** The only products whose refusals are listed, each once. Null lists those of all. */
  readonly productIds: readonly string[] | null;
  /**
   * Whether rows of other products may be looked at and passed over. Where not, no work is done for them, so that nobody
   * learns of them from the time it takes; `productIds` are few then.
   */
  readonly mayPassOthers: boolean;
  /** The key as it is stored. Whether the caller may see the license is the caller's to decide. */
  readonly licenseKey?: string | undefined;
  /** Each once. */
  readonly codes?: readonly KeptRefusalCode[] | undefined;
  readonly fingerprint?: string | undefined;
  /** Milliseconds since 1970: rows whose last call was refused then or later. */
  readonly since?: number | undefined;
  /** Milliseconds since 1970: rows that began before then. */
  readonly until?: number | undefined;
}

/** A page of refusals. */
export interface RefusalPage {
  /** Newest first. */
  readonly refusals: readonly KeptRefusal[];
  /** The id before which the next page begins; null when there are no more. */
  readonly next: string | null;
}

/** How many rows a page passes over, beside those that it holds. */
const MOST_PASSED_OVER = 2000;
/** With more products than these, the rows of all are looked at. */
const MOST_WALKS = 30;

/** A row as lists read it. */
interface ListedRefusal extends KeptRefusal {
  /** Null in a row of an older node, until it is added. */
  readonly productId: string | null;
}
const listedTable = new Table<ListedRefusal>('kept_refusal', {
  ...keptRefusalColumns,
  productId: textColumn('product_id'),
});

/** A walk from the row before $1 on, $2 rows at most, all of which have $3 in a column. */
function walk(name: string, column?: string, condition = ''): Statement {
  const agreed: Readonly<Record<string, string>> = column === undefined ? {} : { [column]: '$3' };
  const order = [...Object.keys(agreed), 'k.refusal_id'].map((each) => `${each} desc`).join(', ');
  return statement(
    `kept_refusal.${name}`,
    (dialect) => `select ${listedTable.select('k')} from kept_refusal k
      where ${dialect.afterCursor(agreed, { 'k.refusal_id': '$1' })} ${condition} order by ${order} limit $2`,
  );
}

const walks = {
  all: walk('list_all'),
  // The conditions are those of the indexes: neither engine sees them in a parameter.
  product: walk('list_of_product', 'k.product_id', 'and k.product_id is not null'),
  code: walk('list_of_code', 'k.code'),
  fingerprint: walk('list_of_fingerprint', 'k.fingerprint', "and k.fingerprint <> ''"),
} as const;

/** An index that refusals can be listed along, with the value that leads to the part of it that is meant. */
type RefusalPath = readonly [keyof typeof walks, ...values: Value[]];

/** A page of refusals; `after` is the `next` of the page before. */
export async function pageOfRefusals(
  sql: Sql,
  filter: RefusalFilter,
  after: string | null,
  limit: number,
): Promise<RefusalPage> {
  const { licenseKey, productIds, since, until } = filter;
  const first = until === undefined ? NEWEST_ID : orderedPrefix(Math.max(0, until));
  const fits = fitting(filter);
  const page = {
    idOf: ({ refusalId }: KeptRefusal) => refusalId,
    before: after !== null && after < first ? after : first,
    // A row is added to for an hour.
    oldest: since === undefined ? '' : orderedPrefix(Math.max(0, since - HOUR_MS)),
    limit,
    mostPassedOver: MOST_PASSED_OVER,
  };
  if (licenseKey !== undefined) {
    // A license has few rows.
    const walkLicense = (place: string, most: number) => listRefusals(sql, licenseKey, place, most);
    const { entries, next } = await pageOfWalks({ ...page, walks: [walkLicense], isMeant: fits });
    return { refusals: entries, next };
  }
  const { entries, next } = await pageOfWalks<ListedRefusal>({
    ...page,
    walks: pathsOf(filter).map((path) => (place, most) => walkAlong(sql, path, place, most)),
    isMeant: (row) => (productIds === null || productIds.includes(row.productId ?? '')) && fits(row),
  });
  return { refusals: entries, next };
}

/** Whether a row passes the filters of what is in every row. */
function fitting({ codes, fingerprint, since, until }: RefusalFilter): (row: KeptRefusal) => boolean {
  const sinceText = since === undefined ? '' : toTimestamp(since);
  const end = until === undefined ? NEWEST_ID : orderedPrefix(Math.max(0, until));
  return (row) =>
    (codes === undefined || codes.some((code) => code === row.code)) &&
    (fingerprint === undefined || row.fingerprint === fingerprint) &&
    row.lastAt >= sinceText &&
    row.refusalId < end;
}

/** The walks that together meet every row that is meant, and each of them once. */
function pathsOf({ productIds, mayPassOthers, codes, fingerprint }: RefusalFilter): readonly RefusalPath[] {
  // A machine has few rows; a product may have many, and so may a code.
  if (mayPassOthers && fingerprint !== undefined) return [['fingerprint', fingerprint]];
  if (productIds !== null && (!mayPassOthers || productIds.length <= MOST_WALKS))
    return productIds.map((productId): RefusalPath => ['product', productId]);
  return codes === undefined ? [['all']] : codes.map((code): RefusalPath => ['code', code]);
}

/** Rows along an index, from the one before the id `after` on, newest first. */
async function walkAlong(sql: Sql, [name, ...values]: RefusalPath, after: string, limit: number) {
  const rows = await sql.all<StoredRow>(walks[name], after, limit, ...values);
  return rows.map((row) => listedTable.restore<ListedRefusal>(row));
}
