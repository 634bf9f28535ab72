/**
 * A page far down a list of licenses, violations, refusals, e-mails or orders reads as little as the first page: the
 * index leads to it, however long the list is, and with statistics or without. platform/events/deep-pages.test.ts has
 * the lists of events.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listOrders, searchOrders } from '../../src/commerce/studio-orders/store.ts';
import { listMailRows, listMailsOfLicense, listMailsTo } from '../../src/customers/mail/store.ts';
import { listLicensesByBeginning } from '../../src/licensing/licenses/beginning-listing-store.ts';
import { listLicensesOfCountry } from '../../src/licensing/licenses/country-listing-store.ts';
import { listLicensesByExpiry } from '../../src/licensing/licenses/expiry-listing-store.ts';
import { LICENSE_STATUSES } from '../../src/licensing/licenses/license.ts';
import { listLicenses } from '../../src/licensing/licenses/listing-store.ts';
import { listThreatenedLicenses } from '../../src/licensing/licenses/threat-listing-store.ts';
import { pageOfRefusals, type RefusalFilter } from '../../src/licensing/observed-calls/refusal-listing-store.ts';
import { listBoardOfViolations } from '../../src/licensing/violations/violation-listing-store.ts';
import type { Sql } from '../../src/storage/contract/storage.ts';
import { engines, freshDatabase } from '../support/databases.ts';
import { execute } from '../support/own-connection.ts';
import { type CountingSql, countRowsVisited } from '../support/rows-visited.ts';
import type { TestDatabase } from '../support/test-database.ts';

const ROWS = 20_000;
const PAGE = 10;
/** Some lists merge two indexes and look each row up in a second table. An index has 100 to 300 blocks. */
const MAX_BLOCKS = 5 * PAGE;
const NOW = '2028-01-01T00:00:00.000Z';
const EMAIL = 'reseller@example.com';
const ALL_VIOLATIONS = { licenseKey: undefined, areDisputes: undefined, minimumSeverity: 1 };

const padded = (column: string) => `substr('00000' || ${column}, length('00000' || ${column}) - 5)`;
const KEY = `'key ' || ${padded('n')}`;
const MOMENT = `'2027-01-01T' || ${padded('n')}`;
const numbered = `(with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${ROWS})
  select n from counted) numbered`;

const END = `case n % 3 when 0 then '2029-01-01T' || ${padded('n')} when 2 then ${MOMENT} end`;

/** All of one product, customer, variant, country, machine and code; a third each active, revoked and expired. */
const FILL = `
  insert into license (license_key, email, email_folded, product_id, variant, license_type, revocation, status_mark,
      max_machines, created_at, purchased_at, expires_at, ends_at, unlocked_products, threat_level, machines_used, sessions_held,
      attempts, countries_seen)
    select ${KEY}, '${EMAIL}', '${EMAIL}', 'app', 'indie', 'per-machine', case when n % 3 = 1 then 'plain' end,
      case n % 3 when 0 then 'active' when 1 then 'revoked' else 'expired' end, 2, ${MOMENT}, ${MOMENT},
      ${END}, ${END}, '[]', 2, 0, 0, '[]', '{}'
    from ${numbered};
  insert into license_country select 'DE', created_at, license_key, product_id from license;
  insert into violation (license_key, violation_id, type, severity, occurrences, first_seen, last_seen, evidence,
      resolved_at, product_id)
    select ${KEY}, 'violation', 'fraud', 3, 1, ${MOMENT}, ${MOMENT}, '{}', case when n % 2 = 0 then ${MOMENT} end, 'app'
    from ${numbered};
  insert into kept_refusal (license_key, refusal_id, code, endpoint, fingerprint, hostname, count, first_at, last_at,
      details, request_id, product_id)
    select ${KEY}, 'refusal ' || ${padded('n')}, 'machine_limit', '/activate', 'shared', 'shared', 1, ${MOMENT}, ${MOMENT},
      'null', 'request', 'app' from ${numbered};
  insert into mail (mail_id, kind, to_address, to_folded, creator_id, language, license_key, data, state, attempts, due_at,
      created_at, kept_until)
    select ${KEY}, 'keys', '${EMAIL}', '${EMAIL}', 'owner', 'en', 'key', '{}', 'sent', 1, '', ${MOMENT}, '2028'
    from ${numbered};
  insert into studio_order (studio_order_id, buyer_email, buyer_user_id, course_id, course_slug, course_title, creator_id,
      seat_count, redeemed_count, price_per_seat, total_amount, currency, status, created_at)
    select ${KEY}, '${EMAIL}', 'buyer', 'course', 'slug', 'Title', 'owner', 2, 0, 1, 2, 'eur', 'active', ${MOMENT}
    from ${numbered};`;

/** Reads the page after the row of a number. Numbers fall along a list. */
type ReadPage = (sql: Sql, number: number) => Promise<readonly unknown[]>;

const text = (number: number) => String(number).padStart(6, '0');
const licenseAt = (number: number) => ({ createdAt: `2027-01-01T${text(number)}`, id: `key ${text(number)}` });
const PRODUCTS = [null, ['app']] as const;

const lists: [title: string, ReadPage, mostRows?: number][] = [];
for (const productIds of PRODUCTS) {
  const among = productIds === null ? 'all' : 'a product';
  for (const fields of [{}, { email: EMAIL }, { variant: 'indie' }])
    for (const status of [undefined, ...LICENSE_STATUSES])
      lists.push([
        `licenses of ${among} ${JSON.stringify({ ...fields, status })}`,
        (sql, number) => listLicenses(sql, { productIds, status, ...fields }, licenseAt(number), PAGE, NOW),
      ]);
  for (const fields of [{}, { email: EMAIL }, { variant: 'indie' }])
    for (const status of [undefined, ...LICENSE_STATUSES])
      lists.push([
        `licenses of ${among} oldest first ${JSON.stringify({ ...fields, status })}`,
        (sql, number) =>
          listLicenses(sql, { productIds, status, ...fields }, licenseAt(ROWS - number), PAGE, NOW, 'oldest'),
      ]);
  lists.push(
    [
      `licenses of ${among} by country`,
      (sql, number) => listLicensesOfCountry(sql, productIds, 'DE', licenseAt(number), PAGE),
    ],
    [
      `licenses of ${among} by address`,
      (sql, number) => {
        const { createdAt, id: licenseKey } = licenseAt(ROWS - number);
        const after = { email: EMAIL, createdAt, licenseKey };
        return listLicensesByBeginning(sql, productIds, 'reseller', after, PAGE);
      },
    ],
    [
      `licenses of ${among} by threat`,
      (sql, number) => {
        const { createdAt, id: licenseKey } = licenseAt(number);
        return listThreatenedLicenses(sql, productIds, { threatLevel: 2, createdAt, licenseKey }, 1, PAGE);
      },
    ],
  );
  for (const [status, year] of [
    [undefined, '2027'],
    ['active', '2029'],
    ['expired', '2027'],
  ] as const)
    lists.push([
      `licenses of ${among} by expiry ${status ?? 'any'}`,
      (sql, number) => {
        const rising = text(ROWS - number);
        const position = { expiresAt: number === 0 ? '3000' : `${year}-01-01T${rising}`, licenseKey: `key ${rising}` };
        return listLicensesByExpiry(sql, { productIds, status }, position, '~', PAGE, NOW);
      },
    ]);
  for (const type of [undefined, 'fraud'] as const)
    for (const isOpen of [undefined, true, false])
      lists.push([
        `violations of ${among} ${JSON.stringify({ type, isOpen })}`,
        (sql, number) => {
          const filter = { ...ALL_VIOLATIONS, productIds, type, isOpen };
          const { createdAt: firstSeen, id: licenseKey } = licenseAt(number);
          const position = { severity: 3, firstSeen, licenseKey, violationId: 'violation' } as const;
          return listBoardOfViolations(sql, filter, position, PAGE);
        },
      ]);
}
/** Half of the rows are outside of a range that begins with this one: a list that ends here visits none of them. */
const FROM = ROWS / 2;
const from = licenseAt(FROM).createdAt;
/** The place of a list in the range: the row of a number, of which 0 is its end. */
const within = (number: number) => licenseAt(FROM + number / 2);
for (const productIds of PRODUCTS)
  for (const type of [undefined, 'fraud'] as const)
    for (const isOpen of [undefined, true, false])
      for (const order of ['gravest', 'oldest'] as const)
        lists.push([
          `violations in a range, ${order} first ${JSON.stringify({ productIds, type, isOpen })}`,
          (sql, number) => {
            const filter = { ...ALL_VIOLATIONS, productIds, type, isOpen };
            const { createdAt: firstSeen, id: licenseKey } =
              order === 'gravest' ? within(number) : licenseAt(FROM - number / 2);
            const place = { severity: 3, firstSeen, licenseKey, violationId: 'violation' };
            const range = order === 'gravest' ? { firstSeenFrom: `${from}1` } : { firstSeenTo: from };
            return listBoardOfViolations(sql, { ...filter, ...range }, place, PAGE, order);
          },
          // Lists of four severities are read in growing parts: half a page, then a page.
          4 * PAGE,
        ]);
const mailsOf = (number: number) => ({ after: within(number), from: `${from}1`, limit: PAGE });
for (const creator of [undefined, 'owner'])
  for (const state of [undefined, 'sent'] as const)
    lists.push([
      `e-mails in a range ${JSON.stringify({ creator, state })}`,
      (sql, number) => listMailRows(sql, { creator, state }, mailsOf(number)),
    ]);
for (const creator of [null, 'owner'])
  lists.push([
    `e-mails to an address in a range, of ${creator ?? 'all'}`,
    (sql, number) => listMailsTo(sql, EMAIL, creator, mailsOf(number)),
  ]);
lists.push([
  'e-mails of a license in a range',
  (sql, number) => listMailsOfLicense(sql, 'key', undefined, mailsOf(number)),
]);
for (const buyerEmail of [undefined, EMAIL])
  for (const courseId of [undefined, 'course'])
    for (const creatorId of [undefined, 'owner'])
      lists.push([
        `orders in a range ${JSON.stringify({ buyerEmail, courseId, creatorId })}`,
        (sql, number) => searchOrders(sql, { buyerEmail, courseId, creatorId, from: `${from}1` }, within(number), PAGE),
      ]);
lists.push(['orders of a buyer', (sql, number) => listOrders(sql, 'buyerUserId', 'buyer', licenseAt(number), PAGE)]);
const REFUSALS: readonly Omit<RefusalFilter, 'mayPassOthers'>[] = [
  { productIds: null },
  { productIds: ['app'] },
  { productIds: null, codes: ['machine_limit'] },
  { productIds: null, fingerprint: 'shared' },
];
for (const filter of REFUSALS)
  lists.push([
    `refusals ${JSON.stringify(filter)}`,
    async (sql, number) =>
      (await pageOfRefusals(sql, { ...filter, mayPassOthers: true }, `refusal ${text(number)}`, PAGE)).refusals,
  ]);

/** PostgreSQL plans by statistics, which do not exist on the first day. */
const CASES = [
  ...engines.map((engine) => ({ engine, hasStatistics: true })),
  { engine: 'postgres', hasStatistics: false },
] as const;

for (const { engine, hasStatistics } of CASES)
  describe(`a page of a list on ${engine}${hasStatistics ? '' : ' without statistics'}`, () => {
    let database: TestDatabase;
    let counting: CountingSql;
    before(async () => {
      database = await freshDatabase(engine);
      await execute(database.database, FILL);
      if (engine === 'postgres' && hasStatistics) await execute(database.database, 'analyze');
      counting = await countRowsVisited(database.database);
    });
    after(async () => {
      await counting.close();
      await database.remove();
    });

    // A list in two states reads a page of each; a list by country looks each license up.
    for (const [title, readPage, mostRows = 2 * (PAGE + 1)] of lists)
      for (const [number, found] of [
        [ROWS, PAGE],
        [ROWS / 2, PAGE],
        [0, 0],
      ] as const)
        it(`costs the same after row ${number}: ${title}`, async () => {
          counting.done();
          assert.equal((await readPage(counting.sql, number)).length, found);
          const { rows, blocks } = counting.done();
          assert.ok(rows <= mostRows, `${rows} rows`);
          assert.ok(blocks <= MAX_BLOCKS, `${blocks} blocks`);
        });
  });
