/**
 * The cost of a creator's list depends on the creator's own rows only. If rows of others made it slower, an API key
 * could slow down the service by asking for a customer who has bought a lot elsewhere, and learn from the time how much
 * that is.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endpointsByPath } from '../../src/app.ts';
import { DAY_MS, systemClock, toTimestamp } from '../../src/ground/base/clock.ts';
import { countriesOf } from '../../src/licensing/licenses/license-countries.ts';
import { askCounted } from '../support/ask-counted.ts';
import { duplicateDatabase, type Engine, engines, freshDatabase } from '../support/databases.ts';
import { execute } from '../support/own-connection.ts';
import { type CountingSql, countRowsVisited } from '../support/rows-visited.ts';
import type { TestDatabase } from '../support/test-database.ts';

const FOREIGN_LICENSES = 30_000;
const FOREIGN_PRODUCTS_OF_LICENSES = 7;
const LAPSED_OF_PRODUCT = Math.ceil(FOREIGN_LICENSES / FOREIGN_PRODUCTS_OF_LICENSES / 5);
const FOREIGN_ROWS = 3000;
const OWN_PRODUCTS = 3;
const OWN_LICENSES = 60;

const NOW = systemClock();
const EMAIL = 'reseller@example.com';
const BUYER = `case when n % 2 = 0 then '${EMAIL}' else 'customer ' || n end`;

/** The numbers from 1 to `count`, as the rows `n` of a sub-select. */
const numbers = (count: number) =>
  `(with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${count}) select n from counted)`;

/** A moment of number `n`: later ones have higher numbers, all lie before now. */
const MOMENT = `'${toTimestamp(NOW - DAY_MS).slice(0, 11)}' || substr('000000' || n, length('000000' || n) - 5) || '.000Z'`;
/** A range of times that holds every moment of a number. */
const [FROM, TO] = [toTimestamp(NOW - 2 * DAY_MS), toTimestamp(NOW)];
const CREATED = { createdFrom: FROM, createdTo: TO };
const at = (offsetMs: number) => `'${toTimestamp(NOW + offsetMs)}'`;

/** The end of license number `n`. */
const END = `case n % 5 when 3 then ${at(-DAY_MS)} when 4 then ${at(-1)} end`;

/**
 * Licenses, every other one of a reseller. Of five each, two are active, one is revoked, one marked as expired and one
 * lapsed.
 */
const licenses = (owner: string, products: number, count: number) => `insert into license
    (license_key, email, email_folded, product_id, variant, license_type, revocation, status_mark, max_machines,
     created_at, purchased_at, expires_at, ends_at, purchase_id, unlocked_products, threat_level, machines_used,
     sessions_held, attempts, countries_seen, in_catalogue, event_count)
  select '${owner} ' || n, ${BUYER}, ${BUYER}, '${owner}-' || (n % ${products}), 'indie', 'per-machine',
    case when n % 5 = 2 then 'plain' end,
    case n % 5 when 2 then 'revoked' when 3 then 'expired' else 'active' end, 2, ${MOMENT}, ${MOMENT},
    ${END}, ${END}, 'order ' || (n % 2), '[]', 0, 0, 0, '[]',
    '{}', 1, 0
  from ${numbers(count)} numbered;`;

const products = (owner: string, count: number) => `insert into product
    (product_id, name, creator_id, status, created_at, updated_at)
  select '${owner}-' || (n - 1), 'Product', '${owner}', 'live', ${MOMENT}, ${MOMENT}
  from ${numbers(count)} numbered;`;

/** Every license was used from Germany, and every other one from New Zealand, too. */
const countries = (owner: string) => `insert into license_country
    (country, created_at, license_key, product_id)
  select 'DE', created_at, license_key, product_id
  from license where product_id like '${owner}-%';
  insert into license_country
    (country, created_at, license_key, product_id)
  select 'NZ', created_at, license_key, product_id
  from license where product_id like '${owner}-%' and email = '${EMAIL}';`;

const codes = (owner: string, product: string, count: number) => `insert into discount_code
    (code_folded, code, product_id, creator_id, trial_days, used_count, active, created_at)
  select '${owner} ${product} ' || n, 'CODE', '${product}', '${owner}', 14, 0, 1, ${MOMENT}
  from ${numbers(count)} numbered;`;

const variants = (owner: string, product: string, count: number) => `insert into variant
    (variant_id, product_id, name, license_type, max_machines, active)
  select '${owner} ${product} ' || n, '${product}', 'variant ' || n, 'per-machine', 2, 1
  from ${numbers(count)} numbered;`;

const order = (owner: string, count: number) => `insert into studio_order
    (studio_order_id, buyer_email, buyer_user_id, course_id, course_slug, course_title, creator_id, seat_count,
     redeemed_count, price_per_seat, total_amount, currency, status, created_at)
  select '${owner} ' || n, '${EMAIL}', 'buyer', 'course', 'course', 'Course', '${owner}', 50, 0, 100, 5000, 'usd',
    'paid', ${MOMENT}
  from ${numbers(count)} numbered;
  insert into seat
    (code, studio_order_id, seat_number)
  select '${owner} seat ' || n, '${owner} 1', n
  from ${numbers(50)} numbered;`;

/** Events of one request and two actors, with and without a creator's product; some wait for their index. */
const events = (owner: string, count: number) => `insert into event
    (event_id, license_key, license_number, type, creator_id, product_id, actor, request_id, occurred_at,
     before_facts, after_facts, unindexed)
  select 'evt_' || substr('00000' || n, length('00000' || n) - 4) || ' ${owner}', '${owner} 1', n,
    case when n % 3 = 0 then 'license.revoked' else 'activation.created' end, '${owner}',
    case when n % 4 > 0 then '${owner}-' || (n % 3) end, case when n % 2 = 0 then 'operator' else 'client' end,
    'shared', ${MOMENT}, 'null', 'null', case when n % 5 < 3 then 1 end
  from ${numbers(count)} numbered;`;

/** Figures of a thousand days in two countries, and of some refusals. */
const figures = (product: string) =>
  ['machines.DE', 'machines.NZ', 'activations.DE', 'activate.machine_limit', 'license.created']
    .map(
      (metric) => `insert into statistic
    (product_id, step, metric, at, value)
  select '${product}', 'day', '${metric}', substr(${at(0)}, 1, 10) || 'T' || n, n
  from ${numbers(1000)} numbered;`,
    )
    .join(' ');

/** Violations of licenses, of two types, every other one resolved. */
const violations = (owner: string, products: number, count: number) => `insert into violation
    (license_key, violation_id, type, severity, occurrences, first_seen, last_seen, evidence, resolved_at,
     product_id)
  select '${owner} ' || n, 'violation', case when n % 3 = 0 then 'fraud' else 'token_replay' end, 1 + n % 4, 1,
    ${MOMENT}, ${MOMENT}, '{}', case when n % 2 = 0 then ${MOMENT} end, '${owner}-' || (n % ${products})
  from ${numbers(count)} numbered;`;

/** Refusals of licenses, of one machine and two codes. */
const refusals = (owner: string, products: number, count: number) => `insert into kept_refusal
    (license_key, refusal_id, code, endpoint, fingerprint, hostname, count, first_at, last_at, details, request_id,
     product_id)
  select '${owner} ' || n, substr('00000' || n, length('00000' || n) - 4) || ' ${owner}',
    case when n % 3 = 0 then 'machine_limit' else 'license_expired' end, '/activate', 'shared', 'shared', 1,
    ${MOMENT}, ${MOMENT}, 'null', 'r', '${owner}-' || (n % ${products})
  from ${numbers(count)} numbered;`;

/** Licenses without sessions, under threat, as a board finds them. */
const pools = (owner: string, products: number, count: number) => `insert into session_pool
    (license_key, product_id)
  select '${owner} ' || n, '${owner}-' || (n % ${products})
  from ${numbers(count)} numbered;
  update license set threat_level = 2 where product_id = '${owner}-0';`;

const users = (owner: string, count: number) => `insert into license_user
    (license_key, user_folded, user_name, since, last_seen)
  select '${owner} 1', 'user ' || n, 'User ' || n, ${MOMENT}, ${MOMENT}
  from ${numbers(count)} numbered;`;

const redemptions = (owner: string, product: string, count: number) => `insert into redemption
    (code_folded, email_folded, license_key, redeemed_at)
  select '${owner} ${product} 1', 'customer ' || n, '${owner} ' || n, ${MOMENT}
  from ${numbers(count)} numbered;`;

const destinations = (owner: string, count: number) => `insert into destination
    (destination_id, creator_id, url, types, product_ids, include_license_keys, include_personal_data,
     requests_per_second, secret, state, created_at, updated_at)
  select '${owner} ' || n, '${owner}', 'https://a.example/', '["*"]', 'null', 0, 0, 50, 'sealed', 'active',
    ${MOMENT}, ${MOMENT}
  from ${numbers(count)} numbered;
  insert into destination_progress
    (destination_id, position, failures)
  select '${owner} ' || n, 0, 0
  from ${numbers(count)} numbered;
  insert into delivery
    (destination_id, event_id, position, state, attempts, due_at, first_at, last_at, last_status, last_error, cause)
  select '${owner} 1', '${owner} ' || n, n, case when n % 2 = 0 then 'waiting' else 'failed' end, 1, ${MOMENT},
    ${MOMENT}, ${MOMENT}, 500, 'status 500', 'change'
  from ${numbers(count)} numbered;
  insert into delivery_attempt
    (destination_id, attempt_id, event_id, type, at, duration_ms, outcome, status)
  select '${owner} 1', '${owner} ' || n, '${owner} ' || n, 'license.created', ${MOMENT}, 1, 'status', 500
  from ${numbers(count)} numbered;`;

const templates = (owner: string, count: number) => `insert into reply_template
    (template_id, creator_id, name, text, created_at, updated_at)
  select '${owner} ' || n, '${owner}', 'Name', 'Text', ${MOMENT}, ${MOMENT}
  from ${numbers(count)} numbered;`;

const texts = (owner: string, count: number) => `insert into mail_template
    (creator_id, product_id, kind, language, subject, text, updated_at)
  select '${owner}', '${owner} ' || n, 'keys', 'en', 'Subject', '{keys}', ${MOMENT}
  from ${numbers(count)} numbered;`;

const mails = (owner: string, count: number) => `insert into mail
    (mail_id, kind, to_address, to_folded, creator_id, language, license_key, data, state, attempts, due_at,
     created_at, settled_at, kept_until)
  select '${owner} ' || n, 'keys', '${EMAIL}', '${EMAIL}', '${owner}', 'en', '${owner} 1', '{}',
    case when n % 2 = 0 then 'sent' else 'failed' end, 1, ${MOMENT}, ${MOMENT}, ${MOMENT}, ${MOMENT}
  from ${numbers(count)} numbered;`;

const OWN = `${events('own', 60)} ${products('own', OWN_PRODUCTS)} ${licenses('own', OWN_PRODUCTS, OWN_LICENSES)}
  ${countries('own')}
  ${codes('own', 'own-0', 20)} ${codes('own', 'own-1', 20)} ${variants('own', 'own-0', 20)} ${order('own', 3)}
  ${figures('own-0')} ${figures('own-1')}
  ${violations('own', OWN_PRODUCTS, 40)} ${pools('own', OWN_PRODUCTS, 20)} ${users('own', 20)} ${redemptions('own', 'own-0', 20)}
  ${refusals('own', OWN_PRODUCTS, 40)} ${destinations('own', 5)} ${mails('own', 10)}
  ${templates('own', 10)} ${texts('own', 10)}`;

/** The others have the same customer, codes for the creator's product, and their own products, variants and orders. */
const FOREIGN = `${events('foreign', FOREIGN_ROWS)} ${products('foreign', FOREIGN_ROWS)} ${licenses('foreign', FOREIGN_PRODUCTS_OF_LICENSES, FOREIGN_LICENSES)}
  ${countries('foreign')}
  ${codes('foreign', 'own-0', FOREIGN_ROWS)} ${codes('foreign', 'foreign-0', FOREIGN_ROWS)}
  ${variants('foreign', 'foreign-0', FOREIGN_ROWS)} ${order('foreign', FOREIGN_ROWS)}
  ${figures('foreign-0')} ${figures('foreign-1')} ${figures('')}
  update license set threat_level = 2, expires_at = ${at(DAY_MS)}, ends_at = ${at(DAY_MS)} where product_id like 'foreign-%' and expires_at is null;
  ${violations('foreign', FOREIGN_PRODUCTS_OF_LICENSES, FOREIGN_ROWS)} ${pools('foreign', FOREIGN_PRODUCTS_OF_LICENSES, FOREIGN_ROWS)}
  ${users('foreign', FOREIGN_ROWS)} ${redemptions('foreign', 'foreign-0', FOREIGN_ROWS)}
  ${refusals('foreign', FOREIGN_PRODUCTS_OF_LICENSES, FOREIGN_ROWS)} ${destinations('foreign', FOREIGN_ROWS)}
  ${mails('foreign', FOREIGN_ROWS)} ${templates('foreign', FOREIGN_ROWS)} ${texts('foreign', FOREIGN_ROWS)}`;

interface List {
  readonly path: `/${string}`;
  readonly fields: Readonly<Record<string, unknown>>;
}

const STATUSES = [undefined, 'active', 'revoked', 'expired'] as const;
const PRODUCTS = [undefined, 'own-0', 'foreign-0'] as const;

/** Every way in which an API key may request a list. */
const LISTS: readonly List[] = [
  { path: '/listReplyTemplates', fields: {} },
  { path: '/listMailTemplates', fields: {} },
  { path: '/listCreators', fields: {} },
  ...[{}, { state: 'active' }, { state: 'failing' }].map((fields): List => ({ path: '/listDestinations', fields })),
  { path: '/listConnectors', fields: {} },
  ...[{}, { state: 'attention' }].map((fields): List => ({ path: '/listShopEvents', fields })),
  ...PRODUCTS.flatMap((productId): List[] => [
    { path: '/listCustomers', fields: { productId } },
    { path: '/listCustomers', fields: { productId, limit: 5 } },
    { path: '/listCustomers', fields: { productId, beginning: 'a' } },
  ]),
  ...[
    {},
    { state: 'failed' },
    { licenseKey: 'own 1' },
    { licenseKey: 'foreign 1', state: 'sent' },
    { to: EMAIL },
    { to: EMAIL, ...CREATED },
    CREATED,
  ].map((fields): List => ({ path: '/listMails', fields })),
  ...['own 1', 'foreign 1'].flatMap((destinationId): List[] => [
    { path: '/listDeliveries', fields: { destinationId } },
    { path: '/listDeliveries', fields: { destinationId, state: 'failed' } },
    { path: '/listDeliveryAttempts', fields: { destinationId } },
  ]),
  // The attempts of a foreign event are visited: it goes to 120 destinations at most.
  { path: '/listDeliveryAttempts', fields: { eventId: 'own 1' } },
  ...STATUSES.flatMap((status) =>
    PRODUCTS.flatMap((productId) =>
      [undefined, EMAIL].map((email): List => ({ path: '/listLicenses', fields: { status, productId, email } })),
    ),
  ),
  ...STATUSES.flatMap((status) =>
    PRODUCTS.flatMap((productId) =>
      [{ purchaseId: 'order 0' }, { variant: 'indie' }, { email: EMAIL, variant: 'indie' }].map(
        (fields): List => ({ path: '/listLicenses', fields: { status, productId, ...fields } }),
      ),
    ),
  ),
  ...PRODUCTS.flatMap((productId) =>
    [
      { view: 'expiring' },
      { view: 'threat' },
      { view: 'threat', minimum: 3 },
      { country: 'DE' },
      { sort: 'oldest' },
      { sort: 'oldest', status: 'expired' },
      { sort: 'expiry' },
      { sort: 'expiry', status: 'expired' },
      { beginning: 'resell' },
      { createdFrom: at(-DAY_MS).slice(1, -1) },
    ].map((fields): List => ({ path: '/listLicenses', fields: { productId, ...fields } })),
  ),
  ...PRODUCTS.map((productId): List => {
    const names = [EMAIL, 'order 0', 'own 1', 'foreign 1', 'nobody@example.com'];
    return { path: '/findLicenses', fields: { productId, names } };
  }),
  ...PRODUCTS.flatMap((productId) =>
    [
      {},
      { open: true },
      { open: false, type: 'fraud' },
      { type: 'fraud', minimumSeverity: 4 },
      { disputes: false, open: true, withTotal: true },
      { sort: 'oldest', open: true },
      { firstSeenFrom: FROM, firstSeenTo: TO, withTotal: true },
    ].map((fields): List => ({ path: '/listViolations', fields: { productId, ...fields } })),
  ),
  ...['own 1', 'foreign 1'].map((licenseKey): List => ({ path: '/listViolations', fields: { licenseKey } })),
  ...PRODUCTS.flatMap((productId) =>
    [{}, { code: 'machine_limit' }, { machineFingerprint: 'shared' }, { creatorId: 'foreign', limit: 5 }].map(
      (fields): List => ({ path: '/listRefusals', fields: { productId, ...fields } }),
    ),
  ),
  ...['own 1', 'foreign 1'].map((licenseKey): List => ({ path: '/listRefusals', fields: { licenseKey } })),
  ...['own 1', 'foreign 1'].map((licenseKey): List => ({ path: '/listUsers', fields: { licenseKey } })),
  ...PRODUCTS.map((productId): List => ({ path: '/listLiveSessions', fields: { productId } })),
  { path: '/listLiveSessions', fields: { licenseKey: 'foreign 1' } },
  ...['own 1', 'foreign 1'].map((licenseKey): List => ({ path: '/listLicenseFiles', fields: { licenseKey } })),
  { path: '/listRedemptions', fields: { code: 'own own-0 1' } },
  { path: '/listRedemptions', fields: { code: 'foreign foreign-0 1' } },
  { path: '/searchStudioOrders', fields: {} },
  { path: '/searchStudioOrders', fields: { buyerEmail: EMAIL } },
  { path: '/searchStudioOrders', fields: { courseId: 'course' } },
  { path: '/searchStudioOrders', fields: { courseId: 'course', ...CREATED } },
  { path: '/searchStudioOrders', fields: { courseId: 'course', buyerEmail: EMAIL } },
  { path: '/searchStudioOrders', fields: { code: 'FOREIGN SEAT 1' } },
  ...[EMAIL, 'order 0', 'own-0', 'foreign-0', 'Product', 'foreign', 'own own-0 1', 'shared'].map(
    (query): List => ({ path: '/searchEverything', fields: { query } }),
  ),
  { path: '/listProducts', fields: {} },
  { path: '/listProducts', fields: { status: 'draft,live' } },
  { path: '/listProducts', fields: { includeAll: true } },
  ...PRODUCTS.map((productId): List => ({ path: '/listDiscountCodes', fields: { productId } })),
  { path: '/listDiscountCodes', fields: { creatorId: 'foreign' } },
  { path: '/listVariants', fields: { productId: 'own-0' } },
  { path: '/listVariants', fields: { productId: 'own-0', includeInactive: true } },
  { path: '/listVariants', fields: { productId: 'foreign-0' } },
  { path: '/listConnectors', fields: {} },
  ...[{}, { state: 'attention' }].map((fields): List => ({ path: '/listShopEvents', fields })),
  ...PRODUCTS.flatMap((productId): List[] => [
    { path: '/getOverview', fields: { productId } },
    { path: '/getStatistics', fields: { productId, metrics: ['license.created', 'activate.machine_limit'] } },
    { path: '/getCountries', fields: { productId } },
    { path: '/getCountries', fields: { productId, country: 'DE' } },
    { path: '/getCountries', fields: { productId, overTime: true } },
    { path: '/getSales', fields: { productId } },
    { path: '/getSales', fields: { productId, step: 'month' } },
  ]),
  ...PRODUCTS.flatMap((productId) =>
    [
      {},
      { requestId: 'shared' },
      { types: ['license.revoked'] },
      { types: ['activation.created', 'license.revoked'] },
      { actor: 'operator' },
      { actor: 'client', requestId: 'shared' },
    ].map((fields): List => ({ path: '/listEvents', fields: { productId, limit: 20, ...fields } })),
  ),
  { path: '/listEvents', fields: { licenseKey: 'own 1' } },
  { path: '/listEvents', fields: { licenseKey: 'foreign 1' } },
  { path: '/getStudioOrder', fields: { studioOrderId: 'own 1' } },
  { path: '/getStudioOrder', fields: { studioOrderId: 'foreign 1' } },
];

/** Other endpoints open to API keys that read many rows. */
const FIGURES = ['/getOverview', '/getStatistics', '/getCountries', '/getSales'];

const titleOf = ({ path, fields }: List) => `${path} ${JSON.stringify(fields)}`;

const ask = (counting: CountingSql, { path, fields }: List, creatorId: string | null) =>
  askCounted(counting, path, fields, creatorId, NOW);

/** PostgreSQL plans by statistics, which do not exist on the first day. */
const CASES = [
  ...engines.map((engine) => ({ engine, hasStatistics: true })),
  { engine: 'postgres', hasStatistics: false },
] as const;

/** The filled databases of an engine, without statistics: filling one takes seconds, and its copy does not. */
const filled: Partial<Record<Engine, Promise<readonly TestDatabase[]>>> = {};

function fill(engine: Engine): Promise<readonly TestDatabase[]> {
  return Promise.all(
    [OWN, `${OWN} ${FOREIGN}`].map(async (script) => {
      const made = await freshDatabase(engine);
      await execute(made.database, script);
      return made;
    }),
  );
}

after(async () => {
  for (const made of Object.values(filled)) await Promise.all((await made).map((each) => each.remove()));
});

for (const { engine, hasStatistics } of CASES)
  describe(`lists of a creator on ${engine}${hasStatistics ? '' : ' without statistics'}`, () => {
    const databases: TestDatabase[] = [];
    let alone: CountingSql;
    let crowded: CountingSql;
    before(async () => {
      filled[engine] ??= fill(engine);
      const made: TestDatabase[] = [];
      for (const { database } of await filled[engine]) made.push(await duplicateDatabase(database));
      databases.push(...made);
      const [one, other] = made as [TestDatabase, TestDatabase];
      if (engine === 'postgres' && hasStatistics) for (const { database } of made) await execute(database, 'analyze');
      [alone, crowded] = [await countRowsVisited(one.database), await countRowsVisited(other.database)];
    });
    after(async () => {
      await Promise.all([alone, crowded].map((each) => each.close()));
      await Promise.all(databases.map((each) => each.remove()));
    });

    it('are every list that an API key may ask for', () => {
      const lists = [...endpointsByPath.values()]
        .filter(
          ({ path, access, work }) => /^.(list|search|find)/.test(path) && access === 'admin' && work.kind === 'read',
        )
        .map(({ path }) => path);
      assert.deepEqual(new Set(LISTS.map(({ path }) => path)), new Set([...lists, ...FIGURES, '/getStudioOrder']));
    });

    it('are counted', async () => {
      const everything = await ask(crowded, { path: '/listLicenses', fields: { limit: 1000 } }, null);
      assert.equal((everything.answer as { count: number }).count, 1000);
      assert.ok(everything.work.rows >= 1000 && everything.work.rows < 1100, String(everything.work.rows));
      const walked = await ask(crowded, { path: '/listLicenses', fields: { email: 'nobody', limit: 1000 } }, null);
      assert.equal(walked.work.rows, 0);
    });

    for (const list of LISTS)
      it(`visit no rows of others: ${titleOf(list)}`, async () => {
        const [quiet, busy] = [await ask(alone, list, 'own'), await ask(crowded, list, 'own')];
        assert.deepEqual(busy.answer, quiet.answer);
        // The check that a named resource exists reads one row.
        assert.ok(busy.work.rows <= quiet.work.rows + 1, `${busy.work.rows} rows instead of ${quiet.work.rows}`);
        // The indexes are deeper. Skipping the entries of others would take hundreds of blocks.
        const more = busy.work.blocks - quiet.work.blocks;
        // Each customer takes three look-ups in each product, each license of a country takes one, the license of a
        // violation takes one for its variant, and all go deeper.
        const goesDeeper =
          ['/listCustomers', '/listViolations'].includes(list.path) ||
          (list.path === '/listLicenses' && 'country' in list.fields);
        const allowed = 50 + (goesDeeper ? quiet.work.blocks : 0);
        assert.ok(more <= allowed, `${busy.work.blocks} blocks instead of ${quiet.work.blocks}`);
      });

    for (const creatorId of [null, 'foreign'])
      it(`visit a bounded number of a customer's rows: ${creatorId ?? 'the operator'}`, async () => {
        const fields = { email: EMAIL, ...(creatorId === null ? {} : { productId: 'foreign-0' }) };
        const { answer, work } = await ask(crowded, { path: '/getCustomer', fields }, creatorId);
        assert.equal((answer as { customer: { licenseCount: number } }).customer.licenseCount, 1000);
        // 1000 licenses and 100 orders are counted, and 21 entries of 20 licenses are read of each kind.
        assert.ok(work.rows < 2000, String(work.rows));
      });

    it('visit a few rows of each customer of a list, not all licenses', async () => {
      for (const creatorId of [null, 'foreign']) {
        const fields = { limit: 20, ...(creatorId === null ? {} : { productId: 'foreign-0' }) };
        const { answer, work } = await ask(crowded, { path: '/listCustomers', fields }, creatorId);
        assert.equal((answer as { count: number }).count, 20);
        assert.ok(work.rows < 500, String(work.rows));
        assert.ok(work.blocks < 2000, String(work.blocks));
      }
    });

    for (const creatorId of [null, 'foreign'])
      it(`visit two rows of each license of a country's page: ${creatorId ?? 'the operator'}`, async () => {
        for (const productId of creatorId === null ? [undefined, 'foreign-0'] : ['foreign-0']) {
          const fields = { productId, country: 'NZ', limit: 10 };
          const { answer, work } = await ask(crowded, { path: '/listLicenses', fields }, creatorId);
          assert.equal((answer as { count: number }).count, 10);
          // A page reads one license more than it shows, and a creator's product is looked up.
          assert.ok(work.rows <= 23, String(work.rows));
          assert.ok(work.blocks < 120, String(work.blocks));
        }
      });

    it('look the countries of a license up, without the rows of others', async () => {
      const createdAt = `${toTimestamp(NOW - DAY_MS).slice(0, 11)}000002.000Z`;
      crowded.done();
      const countries = await countriesOf(crowded.sql, { licenseKey: 'foreign 2', createdAt });
      const work = crowded.done();
      const none = { machines: 0, machinesBefore: 0 };
      assert.deepEqual(countries, [
        { code: 'DE', ...none },
        { code: 'NZ', ...none },
      ]);
      assert.ok(work.rows < 10, String(work.rows));
      // One look-up for each country of the world.
      assert.ok(work.blocks < 2000, String(work.blocks));
    });

    it('visit a few rows of each creator, not all that belongs to them', async () => {
      const { answer, work } = await ask(crowded, { path: '/listCreators', fields: {} }, null);
      assert.deepEqual((answer as { creators: readonly string[] }).creators, ['foreign', 'own']);
      assert.ok(work.rows < 50, String(work.rows));
      assert.ok(work.blocks < 200, String(work.blocks));
    });

    for (const status of STATUSES)
      it(`visit the rows of a page, not all rows of a customer: ${status ?? 'any status'}`, async () => {
        const fields = { productId: 'foreign-0', email: EMAIL, status, limit: 10 };
        const { answer, work } = await ask(crowded, { path: '/listLicenses', fields }, 'foreign');
        assert.equal((answer as { count: number }).count, 10);
        // Rows of the product that lapsed since the last tidying, a fifth here, are skipped or collected.
        assert.ok(work.rows < 100 + LAPSED_OF_PRODUCT, String(work.rows));
      });
  });
