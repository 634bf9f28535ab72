/**
 * Every statement finds its rows by an index on both engines, so that no request becomes slower as the tables grow.
 * The plans are those of empty tables, as on an installation's first day: the worst that PostgreSQL may have kept.
 */
import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
// Only commands read these.
import '../../src/platform/events/note-store.ts';
import '../../src/operations/recovery/state-store.ts';
import '../../src/runtime/service/server.ts';
import { tables } from '../../src/app.ts';
import type { AnyStatement } from '../../src/storage/contract/storage.ts';
import { SESSION_OPTIONS } from '../../src/storage/postgres/postgres-connection.ts';
import { earlierPostgresDialect, postgresDialect } from '../../src/storage/postgres/postgres-dialect.ts';
import { sqliteDialect } from '../../src/storage/sqlite/sqlite-dialect.ts';
import { freshDatabase } from '../support/databases.ts';
import { statementsOfService } from '../support/service-statements.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import type { TestDatabase } from '../support/test-database.ts';

/** Tables that grow with use. The others have a handful of rows for ever. */
const GROWING_TABLES = tables.filter(({ grows }) => grows).map(({ name }) => name);

/** Statements that may walk a whole table, each with the reason why that is all right. */
const FULL_SCANS: Readonly<Record<string, string>> = {
  'event.find_newest_moment': 'reads one row, the first at the end of the index',
  'console_session.delete_beyond': 'passes over as many sessions as there may be, 2,000',
  'activation.count_sessions': 'ends after 20,000 entries of an index that has none but sessions',
};

const statements = statementsOfService();

/** Statements that run on SQLite only, so that their plans on PostgreSQL tell nothing. */
const SQLITE_ONLY: readonly string[] = ['event.enter_late_indexes'];

/** The full scans of a plan: `table` or `table by index`. */
type FullScans = (statement: AnyStatement) => Promise<readonly string[]>;

function testPlans(planned: readonly AnyStatement[], fullScansOf: FullScans): void {
  for (const statement of planned) {
    it(`${statement.name} scans no table from end to end`, async () => {
      const fullScans = await fullScansOf(statement);
      if (statement.name in FULL_SCANS) assert.notEqual(fullScans.length, 0, 'needs no exception any more');
      else assert.deepEqual(fullScans, []);
    });
  }
}

describe('query plans', () => {
  it('cover the statements of every part of the service', () => {
    const nouns = new Set(statements.map(({ name }) => name.split('.')[0]));
    for (const noun of ['license', 'activation', 'violation', 'product', 'idempotent_reply', 'storage'])
      assert.ok(nouns.has(noun), `no statement about ${noun}`);
  });

  it('have exceptions for statements that exist only', () => {
    const names = statements.map(({ name }) => name);
    for (const name of Object.keys(FULL_SCANS)) assert.ok(names.includes(name), `${name} is no statement`);
  });
});

describe('statements that return their written rows', () => {
  const returning = statements.filter((each) => /\breturning\b/i.test(each.text(sqliteDialect)));

  it('are declared so that no read can run them', () => {
    const open = returning.filter(({ needsTransaction }) => !needsTransaction);
    assert.deepEqual(
      open.map(({ name }) => name),
      [],
      'declare them with writeStatement',
    );
  });

  it('are found by their text', () => {
    assert.ok(returning.some(({ name }) => name === 'activation.release_lapsed'));
  });
});

/** Of several indexes that would do, the one that leads to the fewest rows: another one may walk past millions. */
const RIGHT_INDEX: Readonly<Record<string, string>> = {
  'license.mark_lapsed': 'license_by_end',
  'license.mark_unlapsed': 'license_by_end',
  'activation.release_lapsed': 'activation_by_due',
  'license.list_by_keys': 'activation_by_due',
  'license.list_by_keys_until_lapse': 'activation_by_due',
  'license.find_snapshot': 'activation_by_due',
  'activation.list_sessions': 'activation_by_due',
  'license.list_from': 'license_by_creation',
  'statistic.list': 'statistic_pkey',
  'statistic.list_by_product': 'statistic_pkey',
  'statistic.sum_by_metric': 'statistic_pkey',
  'statistic.list_metrics': 'statistic_pkey',
  'pool_peak.list_since': 'pool_peak_pkey',
  'pool_peak.find_highest': 'pool_peak_pkey',
  'sale_count.sum_by_variant': 'sale_count_by_day',
  'sale_count.sum_by_variant_of_products': 'sale_count_pkey',
  'sale_count.sum_by_day': 'sale_count_by_day',
  'sale_count.sum_by_day_of_products': 'sale_count_pkey',
  'sale_count.list_by_day': 'sale_count_by_day',
  'sale_count.list_by_day_of_products': 'sale_count_pkey',
  'sale_count.list_by_month': 'sale_count_by_day',
  'sale_count.list_by_month_of_products': 'sale_count_pkey',
  'event.list_outside_sales': 'event_outside_sales',
  'event.find_outside_sales': 'event_outside_sales',
  'redemption.find_trial_of_buyer': 'redemption_by_email',
  'license.count_live': 'license_by_creation',
  'license.count_live_of_product': 'license_by_product',
  'license.list_fullest': 'license_by_creation',
  'license.list_fullest_of_product': 'license_by_product',
  'license.count_expiring': 'license_by_expiry',
  'license.count_expiring_of_product': 'license_by_product_expiry',
  'violation.count_open': 'violation_open_by_all',
  'violation.count_open_of_product': 'violation_open_by_product',
  'license_total.delete_old': 'license_total_by_walk',
  'license_country.list_of_license': 'license_country_pkey',
  'license_country.list': 'license_country_pkey',
  'license_country.list_of_product': 'license_country_by_product',
  'license.list_all_any': 'license_by_creation',
  'license.list_product_any': 'license_by_product',
  'license.list_email_any': 'license_by_email',
  'license.list_email_product_any': 'license_by_email_product',
  'license.list_variant_any': 'license_by_variant',
  'license.list_variant_product_any': 'license_by_variant_product',
  'license.find_by_email_product': 'license_by_email_product',
  'license.find_by_email_product_variant': 'license_by_email_product',
  'license.list_products_of_purchase': 'license_by_purchase',
  'license.find_oldest_of_products': 'license_by_purchase',
  'license.find_oldest_of_creator': 'license_by_purchase',
  'discount_code.list_of_creator': 'discount_code_by_creator',
  'discount_code.list_of_creator_product': 'discount_code_by_creator_product',
  'license.list_keys_of_email': 'license_by_email',
  'license.search_key_end': 'license_by_key_end',
  'license.search_domain': 'license_by_domain',
  'license.search_last_name': 'license_by_last_name',
  'license.search_order_number': 'license_by_order_number',
  'product.search_domain_of_creator': 'license_by_domain',
  'product.search_last_name_of_creator': 'license_by_last_name',
  'product.search_order_number_of_creator': 'license_by_order_number',
  'license.list_domain_of_product': 'license_by_domain',
  'license.list_last_name_of_product': 'license_by_last_name',
  'license.list_order_number_of_product': 'license_by_order_number',
  'license.search_purchase_beginning': 'license_by_purchase_creation',
  'license.list_customers': 'license_by_email',
  'license.list_customers_of_product': 'license_by_product_email',
  'license.search_customers': 'license_by_email',
  'license.search_customers_of_product': 'license_by_product_email',
  'license.count_of_customer': 'license_by_email',
  'license.count_of_customer_and_product': 'license_by_email_product',
  'license.find_oldest_of_customer': 'license_by_email',
  'license.find_oldest_of_customer_and_product': 'license_by_email_product',
  'studio_order.count_of_customer_and_creator': 'studio_order_by_creator_email',
  'redemption.list_of_customer': 'redemption_by_email',
  'seat.list_of_customer': 'seat_by_redeemer_email',
  'mail.list': 'mail_by_creation',
  'mail.list_of_state': 'mail_by_state',
  'mail.list_of_creator': 'mail_by_creator',
  'mail.list_of_creator_state': 'mail_by_creator_and_state',
  'mail.list_of_license': 'mail_by_license',
  'mail.list_of_address': 'mail_by_address',
  'mail.list_of_creator_address': 'mail_by_address_and_creator',
  'license.count_active_of_email_and_product': 'license_by_email_product_status',
  'redemption.list_codes_of_email': 'redemption_by_email',
  'studio_order.list_of_buyer_email': 'studio_order_by_creator_email',
  'seat.list_of_redeemer_email': 'seat_by_redeemer_email',
  'storefront_event.list_ids_of_email': 'storefront_event_by_email',
  'event.list_to_rewrite_of_subject': 'event_of_no_license',
  'event.list_notes_to_rewrite': 'event_by_type',
  'event.find_license_of_former_name': 'event_by_former_name',
  'product.list_of_creator_and_status': 'product_by_creator_status',
  'console_session.delete_beyond_of_source': 'console_session_by_source',
  'console_session.delete_beyond': 'console_session_by_use',
  'console_session.list': 'console_session_by_creation',
  'console_session.delete_old': 'console_session_by_end',
  'operator_key.list': 'operator_key_by_creation',
  'kept_refusal.list_all': 'kept_refusal_by_id',
  'kept_refusal.list_of_product': 'kept_refusal_by_product',
  'kept_refusal.list_of_code': 'kept_refusal_by_code',
  'kept_refusal.list_of_fingerprint': 'kept_refusal_by_fingerprint',
  'kept_refusal.delete_old': 'kept_refusal_by_age',
  'kept_refusal.delete_future': 'kept_refusal_by_age',
  'statistic.delete_old_hours': 'statistic_by_age',
  'statistic.delete_old_days': 'statistic_by_age',
  'event.list_of_product': 'event_by_product',
  'event.list_of_type': 'event_by_type',
  'event.list_of_product_type': 'event_by_product_type',
  'event.list_of_actor': 'event_by_actor',
  'event.list_of_product_actor': 'event_by_product_actor',
  'event.list_of_request': 'event_by_request',
  'event.list_of_request_alone': 'event_by_request_alone',
  'event.list_products_of_request': 'event_by_request',
  'event.list_of_creator': 'event_by_creator',
  'event.list_of_notes': 'event_by_note',
  'event.list_notes_of_all': 'event_by_note',
  'event.list_notes_between': 'event_by_note',
  'license.list_reaching_expiry_active': 'license_by_expiry',
  'license.list_reaching_expiry_expired': 'license_by_expiry',
  'expiry_notice.delete_old': 'expiry_notice_by_expiry',
  'license.list_beginning': 'license_by_email',
  'license.list_beginning_of_product': 'license_by_product_email',
  'license.list_keys_named_by_email': 'license_by_email',
  'license.list_keys_named_by_email_of_products': 'license_by_email_product',
  'license.list_keys_named_by_purchase': 'license_by_purchase_creation',
  'license.list_keys_named_by_purchase_of_products': 'license_by_purchase_product',
  'license.list_threatened': 'license_by_threat',
  'license.list_threatened_of_product': 'license_by_product_threat',
  'session_pool.list_of_product': 'session_pool_by_product',
  'license.search_email': 'license_by_email',
  'license.search_purchase_of_creator': 'license_by_purchase_product',
  'activation.search_hostname': 'activation_by_hostname',
  'activation.search_fingerprint': 'activation_by_fingerprint',
  'product.search_of_creator': 'product_by_creator_slug',
  'redemption.list': 'redemption_by_time',
  'redemption.list_of_moment': 'redemption_by_time',
  'recovery.list_redeemers': 'redemption_by_time',
  'recovery.list_email_changes': 'event_by_type',
  'studio_order.list': 'studio_order_by_creation',
  'studio_order.search_email': 'studio_order_by_email',
  'studio_order.search_creator_email': 'studio_order_by_creator_email',
  'studio_order.search_creator_course': 'studio_order_by_creator_course',
  ...Object.fromEntries(
    ['any', 'active', 'revoked', 'expired'].flatMap((status) => [
      [`license.list_purchase_${status}`, 'license_by_purchase_creation'],
      [`license.list_purchase_product_${status}`, 'license_by_purchase_product'],
    ]),
  ),
  ...Object.fromEntries(
    ['active', 'revoked', 'expired'].flatMap((status) => [
      [`license.list_all_${status}`, 'license_by_status'],
      [`license.list_product_${status}`, 'license_by_product_status'],
      [`license.list_email_${status}`, 'license_by_email_status'],
      [`license.list_email_product_${status}`, 'license_by_email_product_status'],
      [`license.list_variant_${status}`, 'license_by_variant_status'],
      [`license.list_variant_product_${status}`, 'license_by_variant_product_status'],
      [`license.list_all_${status}_oldest`, 'license_by_status'],
      [`license.list_product_${status}_oldest`, 'license_by_product_status'],
      [`license.list_email_${status}_oldest`, 'license_by_email_status'],
      [`license.list_email_product_${status}_oldest`, 'license_by_email_product_status'],
      [`license.list_variant_${status}_oldest`, 'license_by_variant_status'],
      [`license.list_variant_product_${status}_oldest`, 'license_by_variant_product_status'],
    ]),
  ),
  ...Object.fromEntries(
    ['any', 'active', 'revoked', 'expired'].flatMap((status) => [
      [`license.list_by_expiry_all_${status}`, 'license_by_expiry'],
      [`license.list_by_expiry_product_${status}`, 'license_by_product_expiry'],
    ]),
  ),
};

/**
 * Scans of boards of violations and of their counts: open or resolved ones, of all, one product, type, or both; the
 * gravest first, or those of one severity by time.
 */
const BOARD_INDEXES = ['all', 'product', 'type', 'product_type'].flatMap((among) =>
  (['open', 'resolved'] as const).flatMap((state) =>
    [
      ...['board', 'newest', 'oldest'].flatMap((form) => [`${form}_${among}_${state}`, `${form}_${among}_any`]),
      ...['board', 'newest'].map((form) => `count_${form}_${among}_${state}`),
    ].map((name) => [`violation.${name}`, `violation_${state}_by_${among}`]),
  ),
);

/** Searches find refused machines by the same look-ups as bound ones. */
const REFUSED_MACHINES: readonly (readonly [string, string])[] = [
  ['activation.search_hostname', 'kept_refusal_by_hostname'],
  ['activation.search_fingerprint', 'kept_refusal_by_fingerprint'],
];

/** Index that finds licenses whose expiry has passed, but which are not marked as expired yet. */
const LAPSE_INDEX: Readonly<Record<string, string>> = {
  'license.list_all_expired': 'license_by_end',
  'license.list_email_expired': 'license_by_end',
  'license.list_product_expired': 'license_by_product_end',
  'license.list_variant_expired': 'license_by_end',
  'license.list_variant_product_expired': 'license_by_product_end',
  'license.list_email_product_expired': 'license_by_product_end',
};

/**
 * Pages that are sorted. Few licenses expire between two runs of tidying. Two pages, of open and resolved violations,
 * are merged by a sort, and so are three, of active, revoked and expired licenses by expiry. A search sorts one
 * customer's hits in one product, and a count sorts its hits. A walk over licenses sorts its part of them.
 */
const MERGED = new RegExp(
  [
    /_expired(_oldest)?$/,
    /^license\.(count_live|list_fullest|list_by_expiry_\w+_any$)/,
    /^violation\.(count_open_of_product|(board|newest|oldest)_\w+_any)$/,
    /^(license|event)\.search_\w+_of_creator$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** The end of a statement that reads a page of a list. */
const PAGE = /order by .*(desc|asc) limit \$/s;

/** A test per statement of {@link RIGHT_INDEX}; `indexesOf` names the indexes that a statement's plan uses. */
function testIndexes(indexesOf: (statement: AnyStatement) => Promise<string[]>): void {
  for (const [name = '', index = ''] of [
    ...Object.entries(RIGHT_INDEX),
    ...Object.entries(LAPSE_INDEX),
    ...BOARD_INDEXES,
    ...REFUSED_MACHINES,
  ])
    it(`${name} is led by ${index}`, async () => {
      const statement = statements.find((each) => each.name === name);
      assert.ok(statement, `${name} is no statement`);
      const used = await indexesOf(statement);
      assert.ok(used.includes(index), `it takes ${used.join(', ')}`);
    });
}

describe('query plans on sqlite', () => {
  let fresh: TestDatabase;
  let database: DatabaseSync;
  before(async () => {
    fresh = await freshDatabase('sqlite');
    assert.equal(fresh.database.engine, 'sqlite');
    database = openSqliteFile((fresh.database as { file: string }).file);
  });
  after(async () => {
    database.close();
    await fresh.remove();
  });

  testPlans(statements, async (statement) => {
    const text = statement.text(sqliteDialect);
    const steps = database.prepare(`explain query plan ${text}`).all() as { detail: string }[];
    return steps.map(({ detail }) => detail).filter((detail) => isFullScan(detail, text));
  });

  it('sort nothing to find a page: its index has the order', () => {
    const pages = statements.filter((each) => PAGE.test(each.text(sqliteDialect)));
    assert.ok(pages.length > 20);
    for (const statement of pages.filter(({ name }) => !MERGED.test(name))) {
      const plan = database.prepare(`explain query plan ${statement.text(sqliteDialect)}`).all();
      assert.doesNotMatch(JSON.stringify(plan), /TEMP B-TREE/, statement.name);
    }
  });

  testIndexes(async (statement) => {
    const steps = database.prepare(`explain query plan ${statement.text(sqliteDialect)}`).all() as { detail: string }[];
    const table = statement.name.split('.')[0];
    return steps.flatMap(({ detail }) => (detail.includes('USING PRIMARY KEY') ? `${table}_pkey` : indexIn(detail)));
  });

  it('take every index that there is: one that no statement takes would be written for nothing', () => {
    const taken = statements.flatMap((statement) => {
      const steps = database.prepare(`explain query plan ${statement.text(sqliteDialect)}`).all();
      return steps.flatMap(({ detail }) => indexIn(detail as string));
    });
    const there = database.prepare("select name from sqlite_schema where type = 'index' and sql is not null").all();
    const names = there.map(({ name }) => name as string);
    assert.ok(names.length > 50);
    assert.deepEqual(
      names.filter((name) => !taken.includes(name)),
      [],
    );
  });
});

/** The index that a step of SQLite's plan uses. */
const indexIn = (detail: string) => /USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1] ?? [];

/** `SCAN l` and `SCAN l USING INDEX ...` read all of a table; `l` may be an alias. `SEARCH` reads a part. */
function isFullScan(detail: string, text: string): boolean {
  const [, name] = /^SCAN (\w+)/.exec(detail) ?? [];
  if (name === undefined) return false;
  return GROWING_TABLES.some((table) => table === name || new RegExp(`\\b${table}\\s+(as\\s+)?${name}\\b`).test(text));
}

for (const [servers, dialect] of [
  ['postgres', postgresDialect],
  ['postgres with the SQL for servers before 17', earlierPostgresDialect],
] as const)
  describe(`query plans on ${servers}`, () => {
    let fresh: TestDatabase;
    let client: pg.Client;
    before(async () => {
      fresh = await freshDatabase('postgres');
      const { url } = fresh.database as { url: string };
      client = new pg.Client({ connectionString: url, options: SESSION_OPTIONS });
      await client.connect();
      // With an empty table, PostgreSQL reads a small index on open violations from end to end, whatever the settings.
      await client.query(`insert into violation
      select 'license ' || n, 'violation ' || n, 'token_replay', 3, 1, '', '', '{}', null from generate_series(1, 1000) n`);
      // Which of several indexes is best shows with licenses that differ: one in 50 is revoked, a few have lapsed.
      await client.query(`insert into license (license_key, email, email_folded, product_id, variant, license_type,
        revocation, status_mark, max_machines, max_concurrent, created_at, purchased_at, expires_at, discount_code,
        purchase_id, bundle_id, unlocked_products, threat_level, dispute_reason, machines_used, sessions_held, attempts,
        countries_seen)
      select 'key ' || n, 'e', 'e' || n % 200, 'p' || n % 50, 'v' || n % 7, 'per-machine', null,
        case when n % 50 = 0 then 'revoked' when n % 20 = 0 then 'expired' else 'active' end, 2, null,
        to_char(n, '0000000'), '', case when n % 3 = 0 then to_char(n, '0000000') end, null, 'o' || n, null, '[]', 0, null,
        0, 0, '[]', '{}' from generate_series(1, 20000) n`);
      await client.query('update license set ends_at = expires_at');
      await client.query('analyze license');
      // Large tables look worth several processes; here small ones do.
      for (const cost of ['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size'])
        await client.query(`set ${cost} = 0`);
    });
    after(async () => {
      await client.end();
      await fresh.remove();
    });

    const run = statements.filter(({ name }) => !SQLITE_ONLY.includes(name));
    testPlans(run, async (statement) => {
      // The plan for any values, as a prepared statement has it.
      const { rows } = await client.query(`explain (generic_plan, format json) ${statement.text(dialect)}`);
      return fullScansIn(rows[0]['QUERY PLAN'][0].Plan);
    });

    testIndexes(async (statement) => {
      const { rows } = await client.query(`explain (generic_plan, format json) ${statement.text(dialect)}`);
      return indexesIn(rows[0]['QUERY PLAN'][0].Plan);
    });

    it('sort nothing to find a page: its index has the order', async () => {
      const pages = statements.filter((each) => PAGE.test(each.text(dialect)));
      assert.ok(pages.length > 20);
      for (const statement of pages.filter(({ name }) => !MERGED.test(name))) {
        const { rows } = await client.query(`explain (generic_plan, format json) ${statement.text(dialect)}`);
        assert.ok(!sortsForPage(rows[0]['QUERY PLAN'][0].Plan), statement.name);
      }
    });

    it('are run by one process each, and not compiled', async () => {
      for (const statement of statements) {
        const { rows } = await client.query(`explain (generic_plan, format json) ${statement.text(dialect)}`);
        assert.doesNotMatch(JSON.stringify(rows), /"Gather/, statement.name);
      }
      assert.deepEqual((await client.query('show jit')).rows, [{ jit: 'off' }]);
    });
  });

describe('statements of many machines every few minutes', () => {
  const touch = statements.find(({ name }) => name === 'activation.touch')!;
  const [, changes = ''] = /set (.*?)\s+from/s.exec(touch.text(postgresDialect)) ?? [];
  const written = changes.split(', ').map((change) => change.split(' ')[0]);

  it('is in no index, so that nothing but the row is written', async () => {
    const fresh = await freshDatabase('postgres');
    const client = new pg.Client({ connectionString: (fresh.database as { url: string }).url });
    await client.connect();
    try {
      // Columns of the key and of the condition of partial indexes.
      const { rows } = await client.query(`select pg_get_indexdef(indexrelid) as definition from pg_index
        where indrelid = 'activation'::regclass`);
      assert.ok(rows.length >= 2);
      assert.ok(written.includes('session_deadline') && written.includes('last_seen'));
      for (const { definition } of rows)
        for (const column of written) assert.doesNotMatch(definition, new RegExp(`\\b${column}\\b`));
    } finally {
      await client.end();
      await fresh.remove();
    }
  });
});

/** Whether rows are sorted before a limit cuts them. The rows of a page may be sorted for a later step. */
function sortsForPage(node: PlanNode, isLimited = false): boolean {
  if (isLimited && node['Node Type'].endsWith('Sort')) return true;
  return (node.Plans ?? []).some((each) => sortsForPage(each, isLimited || node['Node Type'] === 'Limit'));
}

function indexesIn(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(indexesIn);
  const index = node['Index Name'];
  return index === undefined ? below : [index, ...below];
}

/** A node of PostgreSQL's plan. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** An index scan without a condition reads the whole table, too, in the order of the index. */
function fullScansIn(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(fullScansIn);
  const isIndexed = 'Index Cond' in node;
  const index = node['Index Name'];
  const table = node['Relation Name'] ?? GROWING_TABLES.find((each) => index?.startsWith(each));
  const isScan = node['Node Type'].endsWith('Scan') && node['Node Type'] !== 'Bitmap Heap Scan';
  if (!isScan || isIndexed || table === undefined || !GROWING_TABLES.includes(table)) return below;
  return [...below, index === undefined ? table : `${table} by ${index}`];
}
