/** Creators and networks take turns in the queue of other work, and the operator and the storefront go ahead. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../../src/storage/contract/database.ts';
import { OWN_FORM } from '../../customers/self-service/customer-browser.ts';
import { SELF_SERVICE } from '../../customers/self-service/shop.ts';
import { ADMIN_SECRET, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { type ProxiedAnswer, sendFrom, startBehindProxy, statusCounts } from '../../support/behind-proxy.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { execute, onClient, rowOf } from '../../support/own-connection.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';

const CALLS_AT_ONCE = 64;
const ROUNDS = 10;
const PRODUCTS = 1_000;
/** A text with twenty names, none of which exists: each is looked up in each product. */
const TEXT = Array.from({ length: 20 }, (_, at) => `missing-${at}`).join('\n');

/** The API key of a new creator. */
async function apiKeyOf(app: TestApp, creatorId: string): Promise<string> {
  const fields = { adminSecret: ADMIN_SECRET, creatorId, name: 'Key of the tests' };
  return (await sendFrom(app, null, '/createApiKey', fields)).body.apiKey;
}

/** The API key of a creator with so many products that a search reads much. */
async function makeRich(app: TestApp): Promise<string> {
  const rows = Array.from(
    { length: PRODUCTS },
    (_, at) => `('rich-${at}', 'Rich', 'rich', 'live', '${app.clock.at()}', '${app.clock.at()}')`,
  );
  await execute(app.database, `insert into product values ${rows.join(', ')}`);
  return apiKeyOf(app, 'rich');
}

function purchase(app: TestApp): Promise<ProxiedAnswer> {
  const sold = { type: 'purchase.completed', email: 'ada@example.com', productId: 'app' };
  return sendFrom(app, '203.0.113.3', '/storefrontWebhook', sold, { 'x-webhook-secret': WEBHOOK_SECRET });
}

/** The header of a proxy that ends TLS. */
const BEHIND_TLS = { headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' } };

/** Asks for a code from one of sixteen networks of one /48. */
async function form(app: TestApp, at: number): Promise<{ readonly status: number }> {
  const { status } = await fetch(`http://127.0.0.1:${app.port}/my`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...OWN_FORM, 'x-forwarded-proto': 'https', 'x-forwarded-for': `2001:db8:1:${at % 16}::1` },
    body: `email=ada-${at}%40example.com`,
  });
  return { status };
}

/** The number of sessions that wait for a lock. */
async function waitingForLocks(database: Database): Promise<number> {
  const query = `select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return Number((await rowOf(database, query))?.count);
}

/** Keeps so many calls of a party under way until it is told to stop. */
function keepCalling(callsAtOnce: number, call: (at: number) => Promise<unknown>) {
  let isOver = false;
  const callers = Array.from({ length: callsAtOnce }, async (_, at) => {
    while (!isOver) await call(at);
  });
  return async () => {
    isOver = true;
    await Promise.all(callers);
  };
}

for (const engine of engines)
  describe(`turns on ${engine}`, () => {
    it('serve the operator, the storefront and other creators beside 64 costly calls of a creator', async (test) => {
      const database = await freshDatabase(engine);
      const app = await startBehindProxy(engine, { LATCHKEY_QUEUE_WAIT: '2s' }, database);
      test.after(async () => {
        await app.stop();
        await database.remove();
      });
      const rich = await makeRich(app);
      const other = await apiKeyOf(app, 'other');
      await sendFrom(app, null, '/createProduct', { apiKey: other, slug: 'own', name: 'Own' });
      const stop = keepCalling(CALLS_AT_ONCE, () =>
        sendFrom(app, '203.0.113.1', '/searchEverything', { apiKey: rich, query: TEXT }),
      );
      const others: Readonly<Record<string, () => Promise<ProxiedAnswer>>> = {
        operator: () => sendFrom(app, '203.0.113.2', '/listLicenses', { adminSecret: ADMIN_SECRET }),
        storefront: () => purchase(app),
        'another creator': () => sendFrom(app, '203.0.113.4', '/listLicenses', { apiKey: other, productId: 'own' }),
        'a write of another creator': () =>
          sendFrom(app, '203.0.113.4', '/createLicense', { apiKey: other, productId: 'own', email: 'ada@example.com' }),
      };
      const answers = Object.keys(others).map((name) => [name, [] as ProxiedAnswer[]] as const);
      for (let round = 0; round < ROUNDS; round += 1)
        for (const [name, all] of answers) all.push((await others[name]?.()) as ProxiedAnswer);
      await stop();
      for (const [name, all] of answers)
        assert.ok(
          all.filter(({ status }) => status < 300).length >= 0.9 * ROUNDS,
          `${name}: ${JSON.stringify(statusCounts(all))}`,
        );
    });
  });

describe('turns on sqlite beside a held file', () => {
  it('serve purchases before most of the forms of sixteen networks of one /48 that wait', async (test) => {
    const database = await freshDatabase('sqlite');
    const app = await startBehindProxy('sqlite', { LATCHKEY_QUEUE_WAIT: '10s', ...SELF_SERVICE }, database);
    test.after(async () => {
      await app.stop();
      await database.remove();
    });
    const holder = openSqliteFile(app.database.engine === 'sqlite' ? app.database.file : '');
    holder.exec('begin immediate');
    const answered: string[] = [];
    const noted = (kind: string, { status }: { readonly status: number }) => {
      answered.push(kind);
      return { status };
    };
    const forms = Array.from({ length: 16 * 16 }, (_, at) => form(app, at).then((answer) => noted('form', answer)));
    // These pages are read beside the writer, so the forms have arrived when they are answered.
    for (let page = 0; page < ROUNDS; page += 1)
      assert.equal((await fetch(`http://127.0.0.1:${app.port}/docs`, BEHIND_TLS)).status, 200);
    const purchases = Array.from({ length: ROUNDS }, () => purchase(app).then((answer) => noted('purchase', answer)));
    for (let page = 0; page < ROUNDS; page += 1)
      assert.equal((await fetch(`http://127.0.0.1:${app.port}/docs`, BEHIND_TLS)).status, 200);
    holder.exec('rollback');
    holder.close();
    assert.deepEqual(statusCounts(await Promise.all(purchases)), { 200: ROUNDS });
    const formsBefore = answered.lastIndexOf('purchase') + 1 - ROUNDS;
    await Promise.all(forms);
    assert.ok(formsBefore < forms.length / 2, `${formsBefore} forms were answered before the last purchase`);
  });

  it('serve purchases while forms of sixteen networks of one /48 keep coming', async (test) => {
    const database = await freshDatabase('sqlite');
    const app = await startBehindProxy('sqlite', SELF_SERVICE, database);
    test.after(async () => {
      await app.stop();
      await database.remove();
    });
    let sent = 0;
    const stop = keepCalling(CALLS_AT_ONCE, () => form(app, sent++));
    const purchases = [];
    for (let round = 0; round < ROUNDS; round += 1) purchases.push(await purchase(app));
    await stop();
    assert.deepEqual(statusCounts(purchases), { 200: ROUNDS });
  });
});

describe('turns on postgres beside a locked row', () => {
  it('serve purchases while forms of sixteen networks of one /48 wait for a lock', async (test) => {
    const database = await freshDatabase('postgres');
    const app = await startBehindProxy('postgres', { LATCHKEY_QUEUE_WAIT: '10s', ...SELF_SERVICE }, database);
    test.after(async () => {
      await app.stop();
      await database.remove();
    });
    await onClient(app.database.engine === 'postgres' ? app.database.url : '', async (client) => {
      await client.query('begin; lock table rate in access exclusive mode');
      const forms = Array.from({ length: 16 * 4 }, (_, at) => form(app, at));
      while ((await waitingForLocks(app.database)) < 3);
      const purchases = [];
      for (let round = 0; round < ROUNDS; round += 1) purchases.push(await purchase(app));
      assert.deepEqual(statusCounts(purchases), { 200: ROUNDS });
      await client.query('rollback');
      assert.deepEqual(statusCounts(await Promise.all(forms)), { 303: 64 });
    });
  });
});
