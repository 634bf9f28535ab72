/**
 * Finds refusals of all licenses by any combination of filters (rules 10.8), newest first by the start of their rows.
 * That is the order of their ids, which repeats do not change. One filter selects an index; rows that fail the others
 * are skipped, up to a bound per page (platform/events/bounded-scans.ts).
 */
import { HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { orderedPrefix } from '../../ground/base/random.ts';
import { NEWEST_ID, pageOfScans } from '../../platform/events/bounded-scans.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import { type KeptRefusal, type KeptRefusalCode, keptRefusalColumns } from './kept-refusal.ts';
import { listRefusals } from './store.ts';

/** Filters of the list; an undefined one does not filter. */
export interface RefusalFilter {
  /** The products whose refusals are listed, without duplicates; null lists all. */
  readonly productIds: readonly string[] | null;
  /**
   * True if rows of other products may be read and skipped. If false, no work is done for them, so that the duration
   * reveals nothing about them; `productIds` are few then.
   */
  readonly mayPassOthers: boolean;
  /** The key as stored. The caller checks access to the license. */
  readonly licenseKey?: string | undefined;
  /** Without duplicates. */
  readonly codes?: readonly KeptRefusalCode[] | undefined;
  readonly fingerprint?: string | undefined;
  /** Milliseconds since 1970; lists rows whose last refusal is at this time or later. */
  readonly since?: number | undefined;
  /** Milliseconds since 1970; lists rows that began before this time. */
  readonly until?: number | undefined;
}

export interface RefusalPage {
  /** Newest first. */
  readonly refusals: readonly KeptRefusal[];
  /** The id before which the next page begins; null on the last page. */
  readonly next: string | null;
}

/** Maximum number of rows that a page skips. */
const MAX_PASSED_OVER = 2000;
/** With more products than this, the rows of all products are read. */
const MAX_SCANS = 30;

/** A row as read for lists. */
interface ListedRefusal extends KeptRefusal {
  /** Null in a row of an older node, until the product is filled in. */
  readonly productId: string | null;
}
const listedTable = new Table<ListedRefusal>('kept_refusal', {
  ...keptRefusalColumns,
  productId: textColumn('product_id'),
});

/** Reads rows with a value in `column`, if given. */
function scan(name: string, column?: string, condition = '') {
  return new NamedStatement(
    `kept_refusal.${name}`,
    ['before', 'limit', 'value'],
    (dialect) =>
      `select ${listedTable.select('k')} from kept_refusal k ${indexScan(dialect, {
        agreed: column === undefined ? {} : { [column]: ':value' },
        cursor: { 'k.refusal_id': ':before' },
        filter: condition,
        limit: ':limit',
      })}`,
  );
}

const scans = {
  all: scan('list_all'),
  // The condition of the last repeats that of its index, which neither engine can infer from a parameter.
  product: scan('list_of_product', 'k.product_id'),
  code: scan('list_of_code', 'k.code'),
  fingerprint: scan('list_of_fingerprint', 'k.fingerprint', "and k.fingerprint <> ''"),
} as const;

/** An index for listing refusals, with the values that select the relevant part of it. */
type RefusalPath = readonly [keyof typeof scans, value?: string];

/** Returns a page of refusals; `after` is the `next` of the previous page. */
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
    // Repeats are added to a row for an hour.
    oldest: since === undefined ? '' : orderedPrefix(Math.max(0, since - HOUR_MS)),
    limit,
    maxPassedOver: MAX_PASSED_OVER,
  };
  if (licenseKey !== undefined) {
    const scanLicense = (place: string, most: number) => listRefusals(sql, licenseKey, place, most);
    const { entries, next } = await pageOfScans({ ...page, scans: [scanLicense], isMeant: fits });
    return { refusals: entries, next };
  }
  const { entries, next } = await pageOfScans<ListedRefusal>({
    ...page,
    scans: pathsOf(filter).map((path) => (place, most) => rowsAlong(sql, path, place, most)),
    isMeant: (row) => (productIds === null || productIds.includes(row.productId ?? '')) && fits(row),
  });
  return { refusals: entries, next };
}

/** Returns the check of the filters on columns that every row has. */
function fitting({ codes, fingerprint, since, until }: RefusalFilter): (row: KeptRefusal) => boolean {
  const sinceText = since === undefined ? '' : toTimestamp(since);
  const end = until === undefined ? NEWEST_ID : orderedPrefix(Math.max(0, until));
  return (row) =>
    (codes === undefined || codes.some((code) => code === row.code)) &&
    (fingerprint === undefined || row.fingerprint === fingerprint) &&
    row.lastAt >= sinceText &&
    row.refusalId < end;
}

/** The index ranges that together contain every matching row exactly once. */
function pathsOf({ productIds, mayPassOthers, codes, fingerprint }: RefusalFilter): readonly RefusalPath[] {
  // A machine has few rows; a product may have many, and so may a code.
  if (mayPassOthers && fingerprint !== undefined) return [['fingerprint', fingerprint]];
  if (productIds !== null && (!mayPassOthers || productIds.length <= MAX_SCANS))
    return productIds.map((productId): RefusalPath => ['product', productId]);
  return codes === undefined ? [['all']] : codes.map((code): RefusalPath => ['code', code]);
}

/** Rows along an index, newest first, starting with the row before the id `after`. */
async function rowsAlong(sql: Sql, [name, value]: RefusalPath, before: string, limit: number) {
  const rows = await scans[name].all<StoredRow>(sql, { before, limit, value });
  return rows.map((row) => listedTable.restore<ListedRefusal>(row));
}
