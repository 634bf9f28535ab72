/** Exports the licenses of a database and the catalogue behind them as lines, in the order of {@link LINE_KINDS}. */
import { listNotesOfAll, type NumberedNote } from '../events/note-store.ts';
import { PageSize } from '../storage/copy/page-size.ts';
import { TableRows } from '../storage/copy/rows-store.ts';
import { readShapes } from '../storage/copy/shape-store.ts';
import { type Database, openStorage } from '../storage/open.ts';
import { readSnapshot } from '../storage/snapshot.ts';
import type { Sql, Value } from '../storage/storage.ts';
import { elementsOf, isText, parseStored, recordOf } from '../storage/stored-json.ts';
import { listSeats } from '../studio-orders/store.ts';
import { soundEvidence } from '../violations/evidence.ts';
import { firstLine, type LineKind, lastLine } from './format.ts';

/** A row by column name. */
export type Stored = Readonly<Record<string, Value>>;

/** The conversion of a table's rows to lines. */
export interface Exported {
  readonly table: string;
  readonly kind: LineKind;
  line(row: Stored, sql: Sql): object | Promise<object>;
  /** The columns that {@link line} leaves out. A test names each column of the table that is on neither side. */
  readonly leftOut?: readonly string[];
  /** Reads the rows when only some of the table are exported; by default all rows, in the order of the primary key. */
  readonly page?: Page;
}

/** Reads some rows after the last one read; null at the start. */
type Page = (sql: Sql, last: Stored | null, limit: number) => Promise<readonly Stored[]>;

/** @throws when the list cannot be read, because a line without it would take products away from the customer */
function unlockedProductsOf(row: Stored): unknown {
  const products = parseStored(row.unlocked_products);
  if (Array.isArray(products) && products.every(isText)) return products;
  const key = String(row.license_key);
  throw new Error(
    `The unlocked products of the license ${key.slice(0, 5)}…${key.slice(-5)} cannot be read, so nothing is exported. Repair ` +
      "the column unlocked_products of its row: it holds a JSON list of productIds, such as '[]'.",
  );
}

/** In the order of the lines. */
export const EXPORTED: readonly Exported[] = [
  {
    table: 'product',
    kind: 'product',
    line: (row) => ({
      productId: row.product_id,
      name: row.name,
      creatorId: row.creator_id,
      status: row.status,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }),
  },
  {
    table: 'variant',
    kind: 'variant',
    // Made from productId and name.
    leftOut: ['variant_id'],
    line: (row) => ({
      productId: row.product_id,
      name: row.name,
      licenseType: row.license_type,
      maxMachines: row.max_machines,
      maxConcurrent: row.max_concurrent,
      defaultTrialDays: row.default_trial_days,
      durationDays: row.duration_days,
      price: row.price === null ? null : Number(row.price),
      active: row.active === 1,
    }),
  },
  {
    table: 'discount_code',
    kind: 'code',
    // Made from the code.
    leftOut: ['code_folded'],
    line: (row) => ({
      code: row.code,
      productId: row.product_id,
      creatorId: row.creator_id,
      trialDays: row.trial_days,
      maxUses: row.max_uses,
      usedCount: row.used_count,
      active: row.active === 1,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }),
  },
  {
    table: 'license',
    kind: 'license',
    leftOut: [
      // Made from other columns, from machines and from violations.
      'email_folded',
      'status_mark',
      'in_catalogue',
      'threat_level',
      'machines_used',
      'sessions_held',
      // Serve limits of this service.
      'attempts',
      'countries_seen',
      // Number the events, which an import makes anew.
      'event_count',
      'last_event_id',
    ],
    line: (row) => ({
      licenseKey: row.issued_key ?? row.license_key,
      email: row.email,
      productId: row.product_id,
      variant: row.variant,
      licenseType: row.license_type,
      revocation: row.revocation,
      disputeReason: row.dispute_reason,
      maxMachines: row.max_machines,
      maxConcurrent: row.max_concurrent,
      createdAt: row.created_at,
      purchasedAt: row.purchased_at,
      expiresAt: row.expires_at,
      discountCode: row.discount_code,
      purchaseId: row.purchase_id,
      bundleId: row.bundle_id,
      unlockedProducts: unlockedProductsOf(row),
    }),
  },
  {
    table: 'activation',
    kind: 'machine',
    // The app activates again: tokens, sessions and the search index belong to this service.
    leftOut: ['activation_id', 'token_expiry', 'session_started', 'session_deadline', 'session_due', 'unindexed_since'],
    line: (row) => ({
      licenseKey: row.license_key,
      fingerprint: row.fingerprint,
      hostname: row.hostname,
      firstSeen: row.first_seen,
      lastSeen: row.last_seen,
      countries: elementsOf(parseStored(row.countries), isText),
      lastCountry: row.last_country,
    }),
  },
  {
    table: 'violation',
    kind: 'violation',
    // Made from the license.
    leftOut: ['product_id'],
    line: (row) => ({
      licenseKey: row.license_key,
      violationId: row.violation_id,
      type: row.type,
      severity: row.severity,
      occurrences: row.occurrences,
      firstSeen: row.first_seen,
      lastSeen: row.last_seen,
      evidence: soundEvidence(recordOf(parseStored(row.evidence))),
      resolvedAt: row.resolved_at,
    }),
  },
  {
    table: 'event',
    kind: 'note',
    page: (sql, last, limit) => listNotesOfAll(sql, last as NumberedNote | null, limit),
    line: ({ licenseKey, noteId, text, at, by }) => ({ licenseKey, noteId, text, at, by }),
  },
  {
    table: 'redemption',
    kind: 'redemption',
    line: (row) => ({
      code: row.code_folded,
      email: row.email_folded,
      licenseKey: row.license_key,
      redeemedAt: row.redeemed_at,
    }),
  },
  {
    table: 'studio_order',
    kind: 'order',
    // Made from the seats; `active` is the only status.
    leftOut: ['seat_count', 'redeemed_count', 'status'],
    line: async (row, sql) => ({
      studioOrderId: row.studio_order_id,
      buyerEmail: row.buyer_email,
      buyerUserId: row.buyer_user_id,
      courseId: row.course_id,
      courseSlug: row.course_slug,
      courseTitle: row.course_title,
      creatorId: row.creator_id,
      pricePerSeat: row.price_per_seat,
      totalAmount: row.total_amount,
      currency: row.currency,
      createdAt: row.created_at,
      externalOrderId: row.external_order_id,
      purchaseId: row.purchase_id,
      seats: (await listSeats(sql, String(row.studio_order_id))).map(({ studioOrderId: _, ...seat }) => seat),
    }),
  },
];

/** Number of lines of each kind. */
export type LineCounts = Readonly<Partial<Record<LineKind, number>>>;

/**
 * Exports a snapshot of a database while servers keep running.
 *
 * @param exportedAt the present time, a timestamp
 * @param write takes some lines, including their line ends; the next ones are read when it has finished
 * @throws when the database cannot be read
 */
export async function exportDatabase(
  database: Database,
  exportedAt: string,
  write: (text: string) => Promise<void>,
): Promise<LineCounts> {
  const pages = await pagesOfTables(database);
  return readSnapshot(database, async (sql) => {
    const counts: Partial<Record<LineKind, number>> = {};
    let lines = 0;
    await write(firstLine(exportedAt));
    for (const exported of EXPORTED) {
      const count = await exportTable(sql, exported, exported.page ?? pages.get(exported.table)!, write);
      if (count > 0) counts[exported.kind] = count;
      lines += count;
    }
    await write(lastLine(lines));
    return counts;
  });
}

async function pagesOfTables(database: Database): Promise<ReadonlyMap<string, Page>> {
  const storage = await openStorage(database, { poolSize: 1 });
  try {
    const shapes = await readShapes(
      storage,
      EXPORTED.map(({ table }) => table),
    );
    return new Map([...shapes].map(([name, shape]) => [name, pageOf(new TableRows(shape))]));
  } finally {
    await storage.close();
  }
}

/** Pages of all rows of a table. */
function pageOf(table: TableRows): Page {
  const { columns, primaryKey } = table.shape;
  return async (sql, last, limit) => {
    const rows = await table.page(sql, last && primaryKey.map((name) => last[name] as Value), limit);
    return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] as Value])));
  };
}

async function exportTable(
  sql: Sql,
  { kind, line }: Exported,
  read: Page,
  write: (text: string) => Promise<void>,
): Promise<number> {
  const size = new PageSize();
  let lines = 0;
  for (let last: Stored | null = null; ; ) {
    const limit = size.rows;
    const page = await read(sql, last, limit);
    let text = '';
    for (const row of page) text += `${JSON.stringify({ kind, ...(await line(row, sql)) })}\n`;
    if (text !== '') await write(text);
    lines += page.length;
    last = page.at(-1) ?? null;
    if (last === null || page.length < limit) return lines;
    size.learn(page.length, text.length);
  }
}
