/** Fills Latchkey's database through its own storage. */
import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { insertDiscountCode } from '@latchkey/server/commerce/discount-codes/store.ts';
import { issueSeats } from '@latchkey/server/commerce/studio-orders/issue-seats.ts';
import { insertStudioOrder } from '@latchkey/server/commerce/studio-orders/store.ts';
import { systemClock } from '@latchkey/server/ground/base/clock.ts';
import { insertLicenses } from '@latchkey/server/licensing/licenses/store.ts';
import type { Activation } from '@latchkey/server/licensing/machines/activation.ts';
import { activationTable } from '@latchkey/server/licensing/machines/activation-store.ts';
import { insertSessionPools } from '@latchkey/server/licensing/machines/session-pool-store.ts';
import { insertProduct } from '@latchkey/server/licensing/products/store.ts';
import { TokenKeys } from '@latchkey/server/licensing/session-tokens/token-keys.ts';
import { reported } from '@latchkey/server/licensing/violations/violation.ts';
import { insertViolations } from '@latchkey/server/licensing/violations/violation-store.ts';
import type { Database } from '@latchkey/server/storage/contract/database.ts';
import { type Storage, statement, type Tx } from '@latchkey/server/storage/contract/storage.ts';
import { migrateDatabase, openStorage } from '@latchkey/server/storage/opening/open.ts';
import { unrecorded } from '../../packages/server/test/support/unrecorded.ts';
import { Catalogue } from './catalogue.ts';
import { type Filling, fill, filling, TRANSACTIONS_AT_ONCE } from './filling.ts';
import { History } from './history.ts';
import { historyOf, settleHistory } from './seed-history.ts';
import { Shop } from './shop.ts';
import { type SpecialAmounts, type SpecialLicense, specialLicenses } from './special-licenses.ts';

/** Cleaning up after a bulk load takes longer than any statement of the service may. */
const CLEANING_TIMEOUT_MS = 3_600_000;
const READ_BYTES = 2 ** 20;

/** Inserts machines as if they were activated long ago: the search indexes already contain them. */
const insertOldMachines = activationTable.insert('bench.insert_machines');
const insertMachines = (tx: Tx, machines: readonly Activation[]) =>
  tx.run(insertOldMachines, activationTable.rows(machines, activationTable.fields));

/** Work that a bulk load leaves for later on PostgreSQL; it runs before any measurement. */
const AFTER_LOAD = [statement('bench.clean', 'vacuum analyze'), statement('bench.flush', 'checkpoint')];

/** The contents of a database to fill. */
export interface Contents {
  readonly licenses: number;
  /** Special licenses: one set for each of these amounts. */
  readonly specials?: readonly SpecialAmounts[];
  /** Whether to add products, discount codes and studio orders. */
  readonly withShop?: boolean;
  /** Whether to add events, kept refusals, violations and statistics. */
  readonly withHistory?: boolean;
}

/** The contents of a filled database. */
export interface Seeded {
  readonly catalogue: Catalogue;
  readonly shop: Shop;
  readonly history: History;
  /** In the order of {@link Contents.specials}. */
  readonly specials: readonly (readonly SpecialLicense[])[];
  /** They sign tokens that the server accepts as its own. */
  readonly tokenKeys: TokenKeys;
}

/**
 * Creates the tables, fills them, and closes the database again.
 *
 * @param onProgress receives the number of inserted rows and the total
 */
export async function seed(
  database: Database,
  { licenses, specials = [], withShop = false, withHistory = false }: Contents,
  onProgress: (done: number, total: number) => void,
): Promise<Seeded> {
  const filledAt = systemClock();
  await migrateDatabase(database, filledAt);
  const catalogue = new Catalogue(licenses, filledAt);
  const seeded: Seeded = {
    catalogue,
    history: new History(catalogue),
    shop: new Shop(licenses, filledAt),
    specials: specials.map((amounts) => specialLicenses(amounts, filledAt)),
    tokenKeys: new TokenKeys(),
  };
  const storage = await openStorage(patient(database), { poolSize: TRANSACTIONS_AT_ONCE });
  try {
    await seeded.tokenKeys.open(storage, () => filledAt);
    const fillings = [
      licensesOf(seeded, withHistory),
      ...seeded.specials.flat().map((special) => machinesOf(special, seeded)),
      ...(withShop ? shopOf(seeded) : []),
      ...(withHistory ? historyOf(seeded.history) : []),
    ];
    const total = fillings.reduce((sum, { rows }) => sum + rows, 0);
    let done = 0;
    for (const filling of fillings) {
      await fill(storage, filling, (rows) => {
        done += rows;
        onProgress(done, total);
      });
    }
    for (const special of seeded.specials.flat()) await fillSpecial(storage, special, filledAt);
    if (withHistory) await settleHistory(storage);
    if (storage.engine === 'postgres') {
      for (const step of AFTER_LOAD) await storage.read((sql) => sql.all(step));
    }
  } finally {
    await storage.close();
  }
  if (database.engine === 'sqlite') await readThrough(database.file);
  return seeded;
}

/** Reads a file once, so that the system has it in its cache, as with a server that has run for a while. */
async function readThrough(file: string): Promise<void> {
  await finished(createReadStream(file, { highWaterMark: READ_BYTES }).resume());
}

/** The same database with a longer statement timeout. */
function patient(database: Database): Database {
  if (database.engine === 'sqlite') return database;
  const url = new URL(database.url);
  for (const name of ['statement_timeout', 'query_timeout']) url.searchParams.set(name, String(CLEANING_TIMEOUT_MS));
  return { engine: 'postgres', url: url.href };
}

function licensesOf({ catalogue, history }: Seeded, withHistory: boolean): Filling {
  const source = withHistory ? history : catalogue;
  return filling(
    catalogue.size,
    (number) => source.license(number),
    async (tx, licenses) => {
      const machines = licenses.flatMap((license) => catalogue.machines(license));
      const holding = licenses.filter(({ sessionsHeld }) => sessionsHeld > 0);
      await insertLicenses(unrecorded(tx), licenses, catalogue.filledAt);
      await insertSessionPools(tx, holding);
      await insertMachines(tx, machines);
    },
  );
}

function machinesOf({ license }: SpecialLicense, { catalogue }: Seeded): Filling {
  return filling(license.machinesUsed, (number) => catalogue.machine(license, number), insertMachines);
}

function shopOf({ shop }: Seeded): readonly Filling[] {
  return [
    filling(
      shop.products,
      (number) => shop.product(number),
      (tx, products) => Promise.all(products.map((product) => insertProduct(unrecorded(tx), product))),
    ),
    filling(
      shop.codes,
      (number) => shop.code(number),
      (tx, codes) => Promise.all(codes.map((code) => insertDiscountCode(unrecorded(tx), code))),
    ),
    filling(
      shop.orders,
      (number) => shop.order(number),
      async (tx, orders) => {
        for (const order of orders) {
          await insertStudioOrder(unrecorded(tx), order);
          await issueSeats(unrecorded(tx), order.studioOrderId, order.seatCount);
        }
      },
    ),
  ];
}

/** Inserts the license itself and its violations in one transaction, because they are few. */
async function fillSpecial(storage: Storage, { license, violations }: SpecialLicense, filledAt: number): Promise<void> {
  const { licenseKey } = license;
  const refunds = Array.from({ length: violations }, () => reported('refund', {}, licenseKey, filledAt));
  await storage.transaction(async (tx) => {
    await insertLicenses(unrecorded(tx), [license], filledAt);
    if (license.sessionsHeld > 0) await insertSessionPools(tx, [license]);
    await insertViolations(unrecorded(tx), refunds);
  });
}
