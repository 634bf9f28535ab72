/** The keys of an order on the thank-you page, and FastSpring's license requests, on both engines (rules 15.9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fastSpringSeller, licenseRequest } from '../../../scripts/shops/sellers/fastspring.ts';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import type { Told } from '../../../scripts/shops/sellers/seller.ts';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { WITH_JOBS } from '../../support/app.ts';
import { startBehindProxy } from '../../support/behind-proxy.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

const MAIL = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:9', LATCHKEY_MAIL_FROM: 'shop@example.com' };
const ORIGIN = 'https://shop.example';

/** A buyer whose ids are as long as those of the sellers. */
const buyerWithLongIds = () => {
  const buyer = newBuyer();
  return { ...buyer, number: Number(`9${String(buyer.number).padStart(14, '0')}`) };
};

/** The id of the transaction that an event of Paddle tells. */
const transactionOf = (told: readonly Told[]): string =>
  told.map(({ body }) => JSON.parse(body)).find(({ event_type: type }) => type === 'transaction.completed').data.id;

for (const engine of engines)
  describe(`the keys of an order, ${engine}`, () => {
    const app = startedApp(engine, { ...SHOP_SETTINGS, ...MAIL }, undefined, WITH_JOBS);

    const ask = (session: string, headers: Record<string, string> = {}, method = 'GET') =>
      app.send(`/orderKeys?session=${encodeURIComponent(session)}`, undefined, { method, headers });

    it('are pending until the seller has told the sale, then shown with a masked address, and gone after a day', async () => {
      const buyer = buyerWithLongIds();
      const shop = await new Shop(app, paddleSeller(buyer)).open({ settings: { origins: [ORIGIN] } });
      const told = shop.seller.steps.buy!(app.clock.now());
      const session = transactionOf(told);
      const pending = await ask(session);
      assert.deepEqual([pending.status, pending.body], [202, { success: true, status: 'pending' }]);
      assert.equal(pending.headers['retry-after'], '2');
      assert.equal(pending.headers['cache-control'], 'no-store');
      await shop.tell(told);
      await shop.settled();
      const shown = await ask(session);
      assert.equal(shown.status, 200);
      assert.equal(shown.headers['cache-control'], 'no-store');
      const licenses = await shop.licenses(buyer.email);
      assert.deepEqual(
        shown.body.licenses.map(({ licenseKey }: { licenseKey: string }) => licenseKey).toSorted(),
        licenses.map(({ key }) => key).toSorted(),
      );
      assert.deepEqual(shown.body.email, `${buyer.email[0]}***@example.com`);
      assert.ok(!JSON.stringify(shown.body).includes(buyer.email));
      const posted = await app.send('/orderKeys', { session });
      assert.deepEqual([posted.status, posted.body], [200, shown.body]);
      app.clock.move(DAY_MS - HOUR_MS);
      assert.equal((await ask(session)).status, 200);
      app.clock.move(HOUR_MS);
      const gone = await ask(session);
      assert.deepEqual([gone.status, gone.body.error], [404, 'Order not found']);
    });

    it('are read by pages of the shop alone', async () => {
      const buyer = buyerWithLongIds();
      const shop = await new Shop(app, paddleSeller(buyer)).open({ settings: { origins: [ORIGIN] } });
      const told = shop.seller.steps.buy!(app.clock.now());
      await shop.tell(told);
      await shop.settled();
      const session = transactionOf(told);
      const allowed = async (origin: string) => (await ask(session, { origin })).headers['access-control-allow-origin'];
      assert.equal(await allowed(ORIGIN), ORIGIN);
      assert.equal(await allowed('https://evil.example'), undefined);
      const preflight = await ask(session, { origin: ORIGIN, 'access-control-request-method': 'POST' }, 'OPTIONS');
      assert.deepEqual([preflight.status, preflight.headers['access-control-allow-methods']], [204, 'GET, POST']);
    });

    it('are gone after the refund, and never found by an id that can be guessed', async () => {
      const buyer = buyerWithLongIds();
      const shop = await new Shop(app, paddleSeller(buyer)).open();
      const told = shop.seller.steps.buy!(app.clock.now());
      await shop.tell(told);
      await shop.settled();
      const session = transactionOf(told);
      assert.equal((await ask(session)).status, 200);
      await shop.tell(shop.seller.steps.refundPart?.(app.clock.now()));
      await shop.tell(shop.seller.steps.refundRest?.(app.clock.now()));
      await shop.settled();
      assert.equal((await ask(session)).status, 404);
      const { purchaseId } = (await shop.licenses(buyer.email))[0];
      for (const guess of [purchaseId, 'short', `cs_${'x'.repeat(300)}`])
        assert.equal((await ask(guess)).status, 404, guess);
      assert.equal((await ask('')).status, 400);
      const fast = fastSpringSeller(buyerWithLongIds());
      const other = await new Shop(app, fast).open();
      const order = fast.steps.buy!(app.clock.now());
      await other.tell(order);
      await other.settled();
      const { reference } = JSON.parse(order[0]!.body).events[1].data;
      assert.notEqual((await ask(reference)).status, 200);
    });

    it('are asked for with 30 unknown ids an hour from one network, each as often as its page looks', async (test) => {
      const behind = await startBehindProxy(engine);
      test.after(() => behind.stop());
      const askFrom = (address: string, session: string) =>
        fetch(`http://127.0.0.1:${behind.port}/orderKeys?session=${session}`, {
          headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': address },
        });
      const [one, other] = ['198.51.100.7', '203.0.113.7'];
      const ids = Array.from({ length: 32 }, () => `cs_test_${mintUuid()}`);
      // The node opens its connections to the database first, so that the calls of the race come at once.
      for (let round = 0; round < 2; round += 1)
        await Promise.all(Array.from({ length: 40 }, (_, at) => askFrom(`192.0.2.${at}`, ids[0]!)));
      const answers = await Promise.all(ids.map((id) => askFrom(one, id)));
      const refused = answers.filter(({ status }) => status === 429);
      assert.deepEqual([answers.filter(({ status }) => status === 202).length, refused.length], [30, 2]);
      assert.ok(Number(refused[0]?.headers.get('retry-after')) > 0);
      const counted = ids.filter((_, at) => answers[at]?.status === 202);
      for (const id of counted.slice(0, 3)) assert.equal((await askFrom(one, id)).status, 202);
      assert.equal((await askFrom(other, `cs_test_${mintUuid()}`)).status, 202);
      behind.clock.move(Number(refused[0]?.headers.get('retry-after')) * 1000);
      assert.equal((await askFrom(one, `cs_test_${mintUuid()}`)).status, 202);
    });
  });

/** Sends a license request of FastSpring. */
function request(app: TestApp, shop: Shop, fields: Record<string, string>, privateKey: string): Promise<Answer> {
  return app.send(`${shop.url}/licenses`, licenseRequest(fields, privateKey).toString(), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

for (const engine of engines)
  describe(`license requests of FastSpring, ${engine}`, () => {
    const app = startedApp(engine, { ...SHOP_SETTINGS, ...MAIL }, undefined, WITH_JOBS);
    const PRIVATE_KEY = 'the private key of the vendor';

    it('get one key a unit, the same ones again, and the order itself gives no other', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, fastSpringSeller(buyer)).open({ sellerApiKey: PRIVATE_KEY });
      const [told] = shop.seller.steps.buy!(app.clock.now());
      const { reference, items } = JSON.parse(told!.body).events[1].data;
      const [{ product }] = items;
      const fields = { reference, product, email: buyer.email, quantity: '2', company: 'Zoë & Söhne' };
      const first = await request(app, shop, fields, PRIVATE_KEY);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.match(String(first.headers['content-type']), /^text\/plain/);
      const keys = String(first.body).split('\n');
      assert.equal(keys.length, 2);
      assert.equal((await request(app, shop, fields, PRIVATE_KEY)).body, first.body);
      await shop.tell([told!]);
      await shop.settled();
      const licenses = await shop.licenses(buyer.email);
      assert.deepEqual(licenses.map(({ key }) => key).toSorted(), keys.toSorted());
      const { mails } = await mustSucceed(app.admin('/listMails', {}));
      assert.deepEqual(
        mails.filter(({ to }: { to: string }) => to === buyer.email),
        [],
      );
      await shop.tell(shop.seller.steps.refundPart!(app.clock.now()));
      await shop.settled();
      assert.equal(String((await request(app, shop, fields, PRIVATE_KEY)).body).split('\n').length, 1);
    });

    it('for a subscription give a license that ends with the paid period once the order is told', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, fastSpringSeller(buyer)).open({ sellerApiKey: PRIVATE_KEY });
      const [told] = shop.seller.steps.subscribe!(app.clock.now());
      const { reference, items } = JSON.parse(told!.body).events.at(-1).data;
      const fields = { reference, product: items[0].product, email: buyer.email, quantity: '3' };
      const { status } = await request(app, shop, fields, PRIVATE_KEY);
      assert.equal(status, 200);
      await shop.tell([told!]);
      assert.ok((await shop.settled()).every(({ state }) => state !== 'attention'));
      const licenses = await shop.licenses(buyer.email);
      const end = new Date(items[0].subscription.next).toISOString();
      assert.deepEqual([...new Set(licenses.map(({ expiresAt }) => expiresAt))], [end]);
      await shop.tell(shop.seller.steps.end!(app.clock.now() + HOUR_MS));
      await shop.settled();
      const [ended] = await shop.licenses(buyer.email);
      assert.ok(Date.parse(ended.expiresAt) <= Date.parse(end), ended.expiresAt);
    });

    it('are refused with another key, without one, twice hashed, and where no mapping knows the product', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, fastSpringSeller(buyer)).open({ sellerApiKey: PRIVATE_KEY });
      const fields = { reference: mintUuid(), product: 'unmapped', email: buyer.email, quantity: '1' };
      assert.equal((await request(app, shop, fields, 'another key')).status, 401);
      // The secret of events is not good here, nor the private key for events.
      assert.equal((await request(app, shop, fields, shop.seller.secret)).status, 401);
      const refused = await request(app, shop, { ...fields, email: '' }, PRIVATE_KEY);
      assert.deepEqual([refused.status, refused.body.error], [400, 'Missing email']);
      const unmapped = await request(app, shop, fields, PRIVATE_KEY);
      assert.deepEqual([unmapped.status, unmapped.body.error], [503, 'The order has no keys yet']);
      assert.deepEqual(
        (await shop.settled()).map(({ state, reason }) => [state, reason]),
        [['attention', 'unmapped_product']],
      );
      const mapping = { match: 'path', id: 'unmapped', productId: shop.once, variant: 'indie' };
      await mustSucceed(app.admin('/updateConnector', { connectorId: shop.connectorId, mappings: [mapping] }));
      await shop.settled();
      assert.equal((await request(app, shop, fields, PRIVATE_KEY)).status, 200);
      const keyless = await new Shop(app, fastSpringSeller(newBuyer())).open();
      assert.equal((await request(app, keyless, fields, PRIVATE_KEY)).status, 401);
      const paddle = await new Shop(app, paddleSeller(newBuyer())).open();
      assert.equal((await request(app, paddle, fields, PRIVATE_KEY)).status, 404);
    });

    it('that arrive at once give the same keys', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, fastSpringSeller(buyer)).open({ sellerApiKey: PRIVATE_KEY });
      const reference = mintUuid();
      const fields = { reference, product: shop.seller.once.id, email: buyer.email, quantity: '3' };
      const answers = await Promise.all(Array.from({ length: 8 }, () => request(app, shop, fields, PRIVATE_KEY)));
      const given = answers.filter(({ status }) => status === 200).map(({ body }) => body);
      assert.ok(given.length > 0);
      assert.equal(new Set(given).size, 1);
      assert.equal((await shop.licenses(buyer.email)).length, 3);
    });
  });
