/**
 * The license that a purchaseId names, against a model, and the rows that the look-up visits where others wrote the
 * same purchaseId.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { systemClock, toTimestamp } from '../../../src/ground/base/clock.ts';
import { mintId } from '../../../src/ground/base/random.ts';
import { mintLicenseKey } from '../../../src/licensing/licenses/license.ts';
import { findLicenseOfPurchase } from '../../../src/licensing/licenses/purchase-store.ts';
import { insertLicenses } from '../../../src/licensing/licenses/store.ts';
import { insertProduct, updateProduct } from '../../../src/licensing/products/store.ts';
import { allStatements, tableOf, type Value } from '../../../src/storage/contract/storage.ts';
import { SESSION_OPTIONS } from '../../../src/storage/postgres/postgres-connection.ts';
import { postgresDialect } from '../../../src/storage/postgres/postgres-dialect.ts';
import { sqliteDialect } from '../../../src/storage/sqlite/sqlite-dialect.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { aLicense } from '../../support/plain-license.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { startedStorage } from '../../support/storages.ts';
import { unrecorded } from '../../support/unrecorded.ts';

const CREATORS = ['ada', 'bob'] as const;

/**
 * An event in the life of one of many products: a license is made of it, it enters the catalogue, or it changes hands.
 */
const deed = fc.record({
  kind: fc.constantFrom('license', 'license', 'license', 'catalogue', 'move'),
  product: fc.nat(99),
  creator: fc.constantFrom(...CREATORS),
  createdAt: fc.nat(20),
});
const history = fc.record({
  // Up to more products than are visited one by one, so that both ways of looking are used.
  products: fc.integer({ min: 1, max: 100 }),
  listed: fc.array(fc.constantFrom(null, ...CREATORS), { minLength: 100, maxLength: 100 }),
  deeds: fc.array(deed, { minLength: 1, maxLength: 150, size: 'max' }),
});

for (const engine of engines)
  describe(`the license that a purchaseId names on ${engine}`, () => {
    const storage = startedStorage(engine);

    it("is the oldest of the named product, else the oldest among the creator's products, however they came to be so", async () => {
      const now = systemClock();
      await fc.assert(
        fc.asyncProperty(history, async ({ products, listed, deeds }) => {
          // Each run has separate products and creators.
          const run = mintId();
          const purchaseId = `order of ${run}`;
          const owners = new Map<string, string>();
          const licenses: { licenseKey: string; productId: string; createdAt: string }[] = [];
          await storage.transaction(async (tx) => {
            const putIn = async (productId: string, creator: string) => {
              const creatorId = `${creator} ${run}`;
              const at = toTimestamp(0);
              const product = {
                productId,
                name: 'x',
                creatorId,
                status: 'live' as const,
                createdAt: at,
                updatedAt: at,
              };
              if (!(await insertProduct(unrecorded(tx), product)))
                await updateProduct(unrecorded(tx), product, product);
              owners.set(productId, creatorId);
            };
            for (const [index, creator] of listed.entries())
              if (creator !== null && index < products) await putIn(`${run} ${index}`, creator);
            for (const { kind, product, creator, createdAt } of deeds) {
              const productId = `${run} ${product % products}`;
              if (kind !== 'license') {
                if (kind === 'catalogue' || owners.has(productId)) await putIn(productId, creator);
                continue;
              }
              const license = { licenseKey: mintLicenseKey(), productId, createdAt: toTimestamp(createdAt) };
              await insertLicenses(unrecorded(tx), [aLicense({ ...license, purchaseId })], now);
              licenses.push(license);
            }
          });
          for (const creatorId of [null, ...CREATORS.map((creator) => `${creator} ${run}`)]) {
            const preferredProduct = `${run} 0`;
            const rank = (license: { readonly productId: string }) =>
              license.productId === preferredProduct ? 'its' : 'other';
            const [oldest] = licenses
              .filter(({ productId }) => (owners.get(productId) ?? null) === creatorId)
              .map((license) => `${rank(license)} ${license.createdAt} ${license.licenseKey}`)
              .sort();
            const found = await storage.read((sql) =>
              findLicenseOfPurchase(sql, { purchaseId, creatorId, preferredProduct }),
            );
            assert.equal(found && `${rank(found)} ${found.createdAt} ${found.licenseKey}`, oldest);
          }
        }),
        { numRuns: 40 },
      );
    });
  });

/** The statements of the look-up, with values that look for `mine` where others wrote `order` on theirs. */
const LOOK_UP: Readonly<Record<string, readonly Value[]>> = {
  'license.list_products_of_purchase': ['order', 1, 32],
  'license.find_oldest_of_products': ['order', tableOf([['theirs 1', 1]]), 'mine'],
  'license.find_oldest_of_creator': ['order', 'me', 'mine'],
};

function textOf(name: string, dialect: typeof sqliteDialect): string {
  const statement = allStatements().find((each) => each.name === name);
  assert.ok(statement, name);
  return statement.text(dialect);
}

describe('the look-up of a purchaseId', () => {
  it('visits a row for each product on postgres, not for each license of others', async (test) => {
    const fresh = await freshDatabase('postgres');
    const client = new pg.Client({
      connectionString: (fresh.database as { url: string }).url,
      options: SESSION_OPTIONS,
    });
    await client.connect();
    test.after(async () => {
      await client.end();
      await fresh.remove();
    });
    await client.query(`insert into product
      select 'theirs ' || n, '', 'they', 'live', '', '' from generate_series(1, 300) n`);
    await client.query(`insert into product values ('mine', '', 'me', 'live', '', '')`);
    await client.query(`insert into license (license_key, email, email_folded, product_id, variant, license_type,
        revocation, status_mark, max_machines, max_concurrent, created_at, purchased_at, expires_at, discount_code,
        purchase_id, bundle_id, unlocked_products, threat_level, dispute_reason, machines_used, sessions_held, attempts,
        countries_seen, in_catalogue)
      select 'key ' || n, 'e', 'e', 'theirs ' || case when n < 19000 then 1 else n % 300 + 1 end, 'v', 'per-machine',
        null, 'active', 2, null, '', '', null, null, 'order', null, '[]', 0, null, 0, 0, '[]', '{}', 1
      from generate_series(1, 20000) n`);
    for (const [name, values] of Object.entries(LOOK_UP)) {
      const explain = `explain (analyze, format json) ${textOf(name, postgresDialect)}`;
      const { rows } = await client.query(explain, [...values]);
      const visited = visitedIn(rows[0]['QUERY PLAN'][0].Plan);
      assert.ok(visited > 0 && visited <= 100, `${name} visits ${visited} rows`);
    }
  });

  it('goes from product to product by the index on sqlite, and sorts no licenses of others', async (test) => {
    const fresh = await freshDatabase('sqlite');
    const database = openSqliteFile((fresh.database as { file: string }).file);
    test.after(async () => {
      database.close();
      await fresh.remove();
    });
    for (const name of Object.keys(LOOK_UP)) {
      const steps = database.prepare(`explain query plan ${textOf(name, sqliteDialect)}`).all() as {
        detail: string;
      }[];
      const searches = steps.map(({ detail }) => detail).filter((detail) => /license_by_purchase/.test(detail));
      assert.ok(searches.length > 0, name);
      for (const search of searches)
        assert.match(
          search,
          name === 'license.list_products_of_purchase'
            ? /COVERING INDEX license_by_purchase \(purchase_id=\? AND in_catalogue=\?( AND product_id>\?)?\)$/
            : // The row says whether another key took the license's place.
              /USING INDEX license_by_purchase \(purchase_id=\? AND in_catalogue=\? AND product_id=\?\)$/,
        );
      // At most one sort, of the few found rows.
      const sorts = steps.filter(({ detail }) => detail === 'USE TEMP B-TREE FOR ORDER BY');
      assert.equal(sorts.length, name === 'license.list_products_of_purchase' ? 0 : 1, name);
    }
  });
});

interface RunNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly RunNode[];
}

/** Rows that the scans of a plan visited. */
function visitedIn(node: RunNode): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + visitedIn(each), 0);
  if (!node['Node Type'].includes('Index')) return below;
  const rows =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + rows * node['Actual Loops'];
}
