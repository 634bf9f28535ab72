/** The remedies of events that wait for a person, keys of the seller's, and the test mode (rules 15.4, 15.7). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lemonSqueezySeller } from '../../../scripts/shops/sellers/lemonsqueezy.ts';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import type { Seller, Told } from '../../../scripts/shops/sellers/seller.ts';
import { shopifySeller } from '../../../scripts/shops/sellers/shopify.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { type Answer, WITH_JOBS } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

/** The same request with another part in its body. */
function altered({ body, headers }: Told, part: string, other: string): Told {
  assert.ok(body.includes(part), body);
  return { body: body.replaceAll(part, other), headers };
}

for (const engine of engines)
  describe(`remedies of events, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS, undefined, WITH_JOBS);
    const opened = (seller: Seller, fields = {}) => new Shop(app, seller).open(fields);
    /** Tells requests, and returns the only event that waits for a person then. */
    const waitingAfter = async (shop: Shop, told: readonly Told[] | undefined): Promise<Answer['body']> => {
      await shop.tell(told);
      const waiting = (await shop.settled()).filter(({ state }) => state === 'attention');
      assert.equal(waiting.length, 1, JSON.stringify(waiting));
      return waiting[0];
    };
    const decide = async ({ eventId }: Answer['body'], remedy: string) =>
      (await mustSucceed(app.admin('/decideShopEvent', { eventId, remedy }))).event;
    const statuses = async (shop: Shop, email: string) =>
      (await shop.licenses(email)).map(({ status, disputeReason }) => disputeReason ?? status);

    it('issue_one gives one license for a quantity of 10 million', async () => {
      const buyer = newBuyer();
      const shop = await opened(paddleSeller(buyer));
      const told = shop.seller.steps.buy!(app.clock.now());
      const many = told.map((each) =>
        each.body.includes('"quantity":2') ? altered(each, '"quantity":2', '"quantity":10000000') : each,
      );
      const waiting = await waitingAfter(shop, many);
      assert.deepEqual([waiting.reason, waiting.remedies], ['bad_quantity', ['issue_one', 'dismiss']]);
      assert.deepEqual(await shop.licenses(buyer.email), []);
      assert.equal((await decide(waiting, 'issue_one')).state, 'applied');
      assert.deepEqual(await statuses(shop, buyer.email), ['active']);
    });

    it('reinstate takes back a revocation: after a dispute that was won, and after a refund that failed', async () => {
      const buyer = newBuyer();
      const shop = await opened(paddleSeller(buyer));
      const { buy, dispute, win } = shop.seller.steps;
      await shop.tell([...buy!(app.clock.now()), ...dispute!(app.clock.now())]);
      await shop.settled();
      assert.deepEqual(await statuses(shop, buyer.email), ['chargeback', 'chargeback']);
      const won = await waitingAfter(shop, win!(app.clock.now()));
      assert.equal(won.reason, 'dispute_won');
      assert.equal((await decide(won, 'reinstate')).state, 'applied');
      assert.deepEqual(await statuses(shop, buyer.email), ['active', 'active']);

      const other = newBuyer();
      const shop2 = await opened(paddleSeller(other));
      const { buy: buy2, refundRest } = shop2.seller.steps;
      const [refund] = refundRest!(app.clock.now());
      await shop2.tell([...buy2!(app.clock.now()), refund!]);
      await shop2.settled();
      assert.deepEqual(await statuses(shop2, other.email), ['refund', 'refund']);
      const { event_id } = JSON.parse(refund!.body);
      const reversed = altered(altered(refund!, '"approved"', '"reversed"'), event_id, `${event_id}r`);
      const undone = await waitingAfter(shop2, [reversed]);
      assert.equal(undone.reason, 'refund_undone');
      await decide(undone, 'reinstate');
      assert.deepEqual(await statuses(shop2, other.email), ['active', 'active']);
    });

    it('revoke takes back the licenses of a sale whose refund does not say which of those in use', async () => {
      const buyer = newBuyer();
      const shop = await opened(shopifySeller(buyer));
      // A license a unit: this stand-in sells one product only.
      const { connectorId } = shop;
      await mustSucceed(app.admin('/updateConnector', { connectorId, mappings: shop.mappings().slice(0, 1) }));
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      await shop.settled();
      for (const { key, productId } of await shop.licenses(buyer.email)) {
        const activation = {
          licenseKey: key,
          productId,
          machineFingerprint: `machine of ${key}`,
          hostname: 'Mac',
        };
        await mustSucceed(app.send('/activate', activation));
      }
      const waiting = await waitingAfter(shop, shop.seller.steps.refundPart!(app.clock.now()));
      assert.equal(waiting.reason, 'refund_unplaced');
      assert.deepEqual(await statuses(shop, buyer.email), ['active', 'active']);
      const { outcome } = await decide(waiting, 'revoke');
      assert.equal(outcome.filter(({ did }: { readonly did: string }) => did === 'revoked').length, 2);
      assert.deepEqual(await statuses(shop, buyer.email), ['refund', 'refund']);
    });

    it('set_end gives the end of the seller to a license to which somebody gave more', async () => {
      const buyer = newBuyer();
      const shop = await opened(paddleSeller(buyer));
      const now = app.clock.now();
      await shop.tell(shop.seller.steps.subscribe!(now));
      await shop.settled();
      const [{ key }] = await shop.licenses(buyer.email);
      const later = new Date(now + 400 * DAY_MS).toISOString();
      await mustSucceed(app.admin('/updateLicense', { licenseKey: key, expiresAt: later }));
      const waiting = await waitingAfter(shop, shop.seller.steps.end!(now + DAY_MS));
      assert.equal(waiting.reason, 'end_kept');
      assert.equal((await shop.licenses(buyer.email))[0].expiresAt, later);
      await decide(waiting, 'set_end');
      assert.equal((await shop.licenses(buyer.email))[0].expiresAt, new Date(now + DAY_MS).toISOString());
    });

    it('a key of the seller is the key of the license, and one that is disabled there is revoked here', async () => {
      const buyer = newBuyer();
      const seller = lemonSqueezySeller(buyer);
      const shop = await opened(seller);
      const { connectorId } = shop;
      const theirs = shop.mappings().map((mapping) => ({ ...mapping, keys: 'theirs' }));
      await mustSucceed(app.admin('/updateConnector', { connectorId, mappings: theirs }));
      const told = seller.steps.subscribe!(app.clock.now());
      const isKey = ({ body }: Told) => body.includes('license_key_created');
      await shop.tell(told.filter((each) => !isKey(each)));
      await shop.settled();
      assert.deepEqual(await shop.licenses(buyer.email), [], 'no license has another key');
      const keyTold = told.find(isKey)!;
      await shop.tell([keyTold]);
      await shop.settled();
      const { key } = JSON.parse(keyTold.body).data.attributes;
      const [license] = await shop.licenses(buyer.email);
      assert.equal(license.key, key);
      await shop.tell(seller.steps.renew!(app.clock.now() + 31 * DAY_MS));
      await shop.settled();
      assert.ok((await shop.licenses(buyer.email))[0].expiresAt > license.expiresAt, 'later events find it');
      const later = new Date(app.clock.now() + DAY_MS).toISOString().replace('Z', '000Z');
      const body = JSON.parse(keyTold.body);
      Object.assign(body.data.attributes, { disabled: 1, status: 'disabled', updated_at: later });
      body.meta.event_name = 'license_key_updated';
      await shop.tell([{ ...keyTold, body: JSON.stringify(body) }]);
      await shop.settled();
      assert.deepEqual(await statuses(shop, buyer.email), ['revoked']);
    });

    it('issue_own_key gives a key of this service where the one of the seller is taken', async () => {
      const buyer = newBuyer();
      const seller = lemonSqueezySeller(buyer);
      const shop = await opened(seller);
      const { connectorId } = shop;
      const theirs = shop.mappings().map((mapping) => ({ ...mapping, keys: 'theirs' }));
      await mustSucceed(app.admin('/updateConnector', { connectorId, mappings: theirs }));
      const told = seller.steps.subscribe!(app.clock.now());
      const { key } = told.map(({ body }) => JSON.parse(body).data.attributes).find((each) => each.key !== undefined);
      // Another connector sold the same key before.
      const other = await opened(lemonSqueezySeller(buyer));
      const otherKeys = other.mappings().map((mapping) => ({ ...mapping, keys: 'theirs' }));
      await mustSucceed(app.admin('/updateConnector', { connectorId: other.connectorId, mappings: otherKeys }));
      await other.tell(told);
      await other.settled();
      await shop.tell(told);
      const waiting = (await shop.settled()).find(({ state }) => state === 'attention');
      assert.equal(waiting.reason, 'key_conflict');
      assert.equal((await decide(waiting, 'issue_own_key')).state, 'applied');
      const keys = (await shop.licenses(buyer.email)).map((license) => license.key);
      assert.equal(keys.length, 2);
      assert.equal(new Set(keys).size, 2);
      assert.ok(keys.includes(key));
    });

    it('a connector in test mode takes tests alone: 14 days, purchaseIds that begin with test, e-mails to the vendor', async () => {
      const buyer = newBuyer();
      const seller = lemonSqueezySeller(buyer);
      const shop = await opened(seller, { mode: 'test' });
      const now = app.clock.now();
      const told = seller.steps.subscribe!(now);
      await shop.tell(told);
      const reasons = (await shop.settled()).map(({ state, reason }) => `${state} ${reason}`);
      assert.deepEqual(new Set(reasons), new Set(['ignored other_mode']));
      assert.deepEqual(await shop.licenses(buyer.email), []);
      await shop.tell(told.map((each) => altered(each, '"test_mode":false', '"test_mode":true')));
      await shop.settled();
      const licenses = await shop.licenses(buyer.email);
      assert.equal(licenses.length, 1);
      const [{ purchaseId, expiresAt }] = licenses;
      assert.match(purchaseId, /^test:/);
      assert.ok(Date.parse(expiresAt) <= app.clock.now() + 14 * DAY_MS);
      await shop.tell(
        seller.steps.renew!(now + DAY_MS).map((each) => altered(each, '"test_mode":false', '"test_mode":true')),
      );
      await shop.settled();
      assert.equal((await shop.licenses(buyer.email))[0].expiresAt, expiresAt, 'a renewal gives no more');
    });
  });
