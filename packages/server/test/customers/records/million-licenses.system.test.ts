/**
 * A shop of a million licenses, 300,000 of which have one address: each call of support visits a bounded number of
 * rows. Rows are counted, not seconds, so the result is the same on any machine.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS, systemClock, toTimestamp } from '../../../src/ground/base/clock.ts';
import { askCounted } from '../../support/ask-counted.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { type CountingSql, countRowsVisited } from '../../support/rows-visited.ts';
import type { TestDatabase } from '../../support/test-database.ts';

const LICENSES = 1_000_000;
/** Has three of ten licenses. */
const RESELLER = 'reseller@example.com';
const CREATOR = 'shop';
const PRODUCTS = 10;
/** Machines of the largest license, the last one. */
const MACHINES = 5_000;

const NOW = systemClock();
const MOMENT = toTimestamp(NOW - DAY_MS);

const numbers = (count: number) =>
  `(with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${count})
    select n from counted) numbered`;
/** The number of a license in letters and digits of keys, in which 0 and 1 do not occur. */
const DIGITS = `replace(replace(substr('0000000' || n, length('0000000' || n) - 6), '0', 'A'), '1', 'B')`;
/** All keys begin and end alike, so that searches for these parts find a million. */
const KEY = `'SHAP7-MMMMM-' || substr(${DIGITS}, 1, 5) || '-' || substr(${DIGITS}, 6) || 'PPP-QQQQQ'`;
const LAST_KEY = 'SHAP7-MMMMM-BAAAA-AAPPP-QQQQQ';
const EMAIL = `case when n % 10 < 3 then '${RESELLER}' else 'customer-' || n || '@example.com' end`;

const FILL = `
  insert into product select 'product-' || (n - 1), 'Product', '${CREATOR}', 'live', '${MOMENT}', '${MOMENT}'
    from ${numbers(PRODUCTS)};
  insert into license (license_key, email, email_folded, product_id, variant, license_type, revocation, status_mark,
      max_machines, max_concurrent, created_at, purchased_at, expires_at, discount_code, purchase_id, bundle_id,
      unlocked_products, threat_level, dispute_reason, machines_used, sessions_held, attempts, countries_seen,
      in_catalogue, event_count, last_event_id, issued_key)
    select ${KEY}, ${EMAIL}, ${EMAIL}, 'product-' || (n % ${PRODUCTS}), 'indie', 'per-machine', null,
    'active', 2, null, '${MOMENT}', '${MOMENT}', null, null, 'order-' || n, null, '[]', 0, null, 1, 0, '[]', '{}', 1, 0,
    null, null from ${numbers(LICENSES)};
  insert into license_country select 'DE', created_at, license_key, product_id from license;
  insert into activation
      (license_key, fingerprint, activation_id, hostname, first_seen, last_seen, token_expiry, countries)
    select '${LAST_KEY}', 'print ' || n, 'id ' || n, 'host', '${MOMENT}', '${MOMENT}', '${MOMENT}', '[]'
    from ${numbers(MACHINES)};
`;

/** Fills the database without most indexes of licenses, and makes these afterwards, which takes a third of the time. */
async function fill({ database }: TestDatabase): Promise<void> {
  const isSqlite = database.engine === 'sqlite';
  const list = isSqlite
    ? `select group_concat(sql, ';') as made, group_concat('drop index ' || name, ';') as dropped from sqlite_schema
       where tbl_name = 'license' and type = 'index' and sql is not null`
    : `select string_agg(indexdef, ';') as made, string_agg('drop index ' || indexname, ';') as dropped from pg_indexes
       where schemaname = current_schema() and tablename = 'license' and indexname <> 'license_pkey'`;
  const indexes = (await rowOf(database, list)) as { readonly made: string; readonly dropped: string };
  await execute(database, `${indexes.dropped}; ${FILL} ${indexes.made};`);
  await execute(database, 'analyze');
}

/** Maximum number of rows of a search: 21 hits of each kind, 100 keys, and 50 machines of each of 20 licenses. */
const MAX_OF_SEARCH = 1_300;

for (const engine of engines)
  describe(`a shop of a million licenses on ${engine}`, () => {
    let made: TestDatabase;
    let counting: CountingSql;
    before(async () => {
      made = await freshDatabase(engine);
      await fill(made);
      counting = await countRowsVisited(made.database);
    });
    after(async () => {
      await counting?.close();
      await made?.remove();
    });

    /** The reply. Fails if the call visits more than `most` rows. */
    async function ask(path: `/${string}`, fields: object, creatorId: string | null, most: number) {
      const { answer, work } = await askCounted(counting, path, { ...fields }, creatorId, NOW);
      assert.ok(work.rows <= most, `${path} ${JSON.stringify(fields)} visits ${work.rows} rows`);
      assert.ok(work.blocks <= 20 * most, `${path} ${JSON.stringify(fields)} reads ${work.blocks} blocks`);
      // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer
      return answer as any;
    }

    for (const creatorId of [null, CREATOR]) {
      const caller = creatorId === null ? 'the operator' : 'an API key';

      it(`shows ${caller} the customer of 300,000 licenses`, async () => {
        // A thousand licenses are counted, and 21 rows of each kind are read of each of the newest 20.
        const { customer } = await ask('/getCustomer', { email: RESELLER }, creatorId, 2_500);
        assert.equal(customer.licenseCount, 1_000);
      });

      it(`shows ${caller} the customer of one license`, async () => {
        const { customer } = await ask('/getCustomer', { email: 'customer-123456@example.com' }, creatorId, 60);
        assert.equal(customer.licenseCount, 1);
      });

      it(`lists the customers for ${caller}`, async () => {
        // Three look-ups of each customer in each product of a creator.
        const { customers } = await ask('/listCustomers', { limit: 20 }, creatorId, 3 * 20 * PRODUCTS);
        assert.equal(customers.length, 20);
      });

      it(`searches for ${caller}`, async () => {
        const hits = async (query: string) =>
          (await ask('/searchEverything', { query }, creatorId, MAX_OF_SEARCH)).hits.length;
        assert.equal(await hits(RESELLER), 20);
        assert.equal(await hits('customer-123456@example.com'), 1);
        assert.equal(await hits(LAST_KEY), 1);
        assert.equal(await hits('SHAP7-MMMMM'), 20);
        assert.equal(await hits('QQQQQ'), 20);
        assert.ok((await hits('order-123456')) >= 1);
        assert.equal(await hits('Product'), PRODUCTS);
        if (creatorId === null) {
          assert.equal(await hits('customer-12'), 20);
          assert.equal(await hits('print 1'), 1);
          assert.equal(await hits('host'), 20);
        }
      });

      it(`lists the licenses of the address and of a country for ${caller}`, async () => {
        for (const fields of [{ email: RESELLER }, { country: 'DE' }, { email: RESELLER, status: 'active' }]) {
          // A creator's list reads a part of each product.
          const { count } = await ask(
            '/listLicenses',
            { ...fields, limit: 50 },
            creatorId,
            2 * (51 + 11 * PRODUCTS) + 20,
          );
          assert.equal(count, 50);
        }
      });
    }
  });
