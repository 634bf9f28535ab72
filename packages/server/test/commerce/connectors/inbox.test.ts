/** Events of shops through the real service: stored before the answer, applied once (rules 15.2 to 15.4). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lemonSqueezySeller } from '../../../scripts/shops/sellers/lemonsqueezy.ts';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import { findConnector } from '../../../src/commerce/connectors/connector-store.ts';
import { storeEvents } from '../../../src/commerce/connectors/received.ts';
import { SECOND_MS } from '../../../src/ground/base/clock.ts';
import type { Answer } from '../../support/app.ts';
import { WITH_JOBS } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

const MAIL = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:9', LATCHKEY_MAIL_FROM: 'shop@example.com' };

for (const engine of engines)
  describe(`the inbox of shops, ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine, { ...SHOP_SETTINGS, ...MAIL }, undefined, WITH_JOBS);

    it('gives a license for each unit of a paid order, once however often it is told, and one mail', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, paddleSeller(buyer)).open();
      const told = shop.seller.steps.buy!(app.clock.now());
      await shop.tell(told);
      await shop.tell(told);
      const events = await shop.settled();
      assert.ok(events.some(({ state, outcome }) => state === 'applied' && outcome.length === 2));
      const licenses = await shop.licenses(buyer.email);
      assert.deepEqual(
        licenses.map(({ productId, variant, maxMachines }) => [productId, variant, maxMachines]),
        [shop.once, shop.once].map((productId) => [productId, 'indie', 2]),
      );
      assert.equal(new Set(licenses.map(({ purchaseId }) => purchaseId)).size, 2);
      const { mails } = await mustSucceed(app.admin('/listMails', {}));
      const own = mails.filter(({ to }: { to: string }) => to === buyer.email);
      assert.equal(own.length, 1);
      const [{ mailId, licenseKey }] = own;
      assert.ok(licenses.some(({ key }) => key === licenseKey));
      const ofLicense = await mustSucceed(app.admin('/listMails', { licenseKey }));
      assert.deepEqual(
        ofLicense.mails.map((mail: Answer['body']) => mail.mailId),
        [mailId],
      );
      const byLicense = await mustSucceed(app.admin('/listShopEvents', { licenseKey: licenses[0].key }));
      assert.ok(byLicense.count >= 1);
      const [first] = byLicense.events;
      const shown = await mustSucceed(app.admin('/getShopEvent', { eventId: first.eventId }));
      assert.deepEqual(shown.event, first);
      assert.ok(shown.body.includes(buyer.email) || shown.body.length > 100);
      assert.deepEqual(shown.remedies, []);
    });

    it('of a watching connector changes nothing, shows previews, and is applied when asked', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, lemonSqueezySeller(buyer)).open({ state: 'watching' });
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      const watched = await shop.settled();
      assert.deepEqual([...new Set(watched.map(({ state }) => state))], ['watched']);
      const sold = watched.find(({ type }) => type === 'order_created');
      const preview = await mustSucceed(app.admin('/previewShopEvent', { eventId: sold.eventId }));
      assert.equal(preview.state, 'applied');
      assert.deepEqual(preview.changes[0], {
        ...{ licenseKey: null, did: 'issued', productId: shop.once, variant: 'indie', maxMachines: 2 },
        ...{ expiresAt: null, isRevoked: false },
      });
      assert.deepEqual(preview.mail, { to: buyer.email, kind: 'keys', language: 'en' });
      assert.deepEqual(await shop.licenses(buyer.email), []);
      const { connectorId } = shop;
      await mustSucceed(app.admin('/updateConnector', { connectorId, state: 'on', applyWatched: true }));
      await shop.settled();
      assert.equal((await shop.licenses(buyer.email)).length, preview.changes.length);
    });

    it('shows in a preview that the time of a license begins with its first activation', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, lemonSqueezySeller(buyer)).open({ state: 'watching' });
      const { variants } = await mustSucceed(app.admin('/listVariants', { productId: shop.once }));
      const terms = { durationDays: 365, durationStarts: 'activation' };
      await mustSucceed(
        app.admin('/updateVariant', { productId: shop.once, variantId: variants[0].variantId, ...terms }),
      );
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      const sold = (await shop.settled()).find(({ type }) => type === 'order_created');
      const preview = await mustSucceed(app.admin('/previewShopEvent', { eventId: sold.eventId }));
      assert.deepEqual([preview.changes[0].expiresAt, preview.changes[0].waiting], [null, { days: 365 }]);
    });

    it('keeps a sale without a mapping for a person, until a mapping is there', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, paddleSeller(buyer)).open({ mappings: [] });
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      const reasons = (await shop.settled()).flatMap(({ state, reason }) => (state === 'attention' ? [reason] : []));
      assert.deepEqual(reasons, ['unmapped_product']);
      assert.deepEqual(await shop.licenses(buyer.email), []);
      const { connectorId } = shop;
      await mustSucceed(app.admin('/updateConnector', { connectorId, mappings: shop.mappings() }));
      await shop.settled();
      assert.equal((await shop.licenses(buyer.email)).length, 2);
    });

    it('is worked off after the node that received an event died', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, lemonSqueezySeller(buyer)).open();
      const now = app.clock.now();
      const connector = await storage.read((sql) => findConnector(sql, shop.connectorId, { creatorId: null }));
      for (const told of shop.seller.steps.buy!(now)) {
        const events = shop.seller.source.events(shop.seller.sign(told, now));
        await storage.transaction((tx) => storeEvents(tx, connector!, events, { now, dueAt: now + 10 * SECOND_MS }));
      }
      assert.deepEqual(await shop.licenses(buyer.email), []);
      app.clock.move(11 * SECOND_MS);
      await shop.settled();
      assert.ok((await shop.licenses(buyer.email)).length > 0);
    });

    it('lists the events of a license, in one state or of one type, page by page', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, paddleSeller(buyer)).open();
      const { connectorId } = shop;
      for (const step of ['buy', 'refundPart', 'refundRest'] as const)
        await shop.tell(shop.seller.steps[step]!(app.clock.now()));
      const settled = await shop.settled();
      const [{ key: licenseKey }] = await shop.licenses(buyer.email);
      const all = async (fields: Readonly<Record<string, unknown>>) => {
        const found = [];
        let more: object | null = {};
        while (more !== null) {
          const page: Answer['body'] = await mustSucceed(
            app.admin('/listShopEvents', { licenseKey, limit: 1, ...fields, ...more }),
          );
          found.push(...page.events);
          more = page.nextCursor === undefined ? null : { cursor: page.nextCursor };
        }
        return found;
      };
      const events = await all({});
      assert.ok(events.length >= 3);
      assert.deepEqual(
        events.toReversed(),
        settled.filter(({ eventId }) => events.some((event) => event.eventId === eventId)),
      );
      const [oldest] = events.slice(-1);
      for (const field of ['state', 'type'])
        assert.deepEqual(
          await all({ connectorId, [field]: oldest[field] }),
          events.filter((event) => event[field] === oldest[field]),
          field,
        );
      const other = await new Shop(app, lemonSqueezySeller(newBuyer())).open();
      assert.deepEqual(await all({ connectorId: other.connectorId }), []);
    });

    it('changes nothing twice when all of it is replayed', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, paddleSeller(buyer)).open();
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      await shop.tell(shop.seller.steps.refundRest?.(app.clock.now()));
      await shop.settled();
      const before = await shop.licenses(buyer.email);
      const { connectorId } = shop;
      for (const state of ['applied', 'nothing new', 'ignored'])
        await mustSucceed(app.admin('/replayShopEvents', { connectorId, state }));
      await shop.settled();
      assert.deepEqual(await shop.licenses(buyer.email), before);
    });
  });
