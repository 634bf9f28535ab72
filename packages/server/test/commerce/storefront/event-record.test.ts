import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { engines } from '../../support/databases.ts';
import { rowsOf } from '../../support/own-connection.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer } from './storefront.ts';

const QUERY = `select type, license_key as "licenseKey", purchase_id as "purchaseId", product_id as "productId", amount,
  currency, received_at as "receivedAt" from storefront_event`;

for (const engine of engines)
  describe(`the record of storefront events on ${engine}`, () => {
    const app = startedApp(engine);

    /** The recorded events of a customer, oldest first. */
    const recordsOf = ({ email }: Customer) =>
      rowsOf(app.database, `${QUERY} where email = '${email}' order by received_at`);

    it('holds every event that was applied, with the license, amount and currency', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const types = [
        ['purchase.completed', 1900, '1900'],
        ['subscription.renewed', 19.99, '19.99'],
        ['subscription.cancelled', 0.0000001, '0.0000001'],
        ['purchase.refunded', -19.99, '-19.99'],
        ['purchase.disputed', 1e15, '1000000000000000'],
      ] as const;
      const expected: object[] = [];
      for (const [type, amount, text] of types) {
        app.clock.move(1000);
        const fields = { purchaseId, amount, currency: 'EUR', durationDays: 30 };
        const { licenseKey } = await customer.reported(type, fields);
        const receivedAt = app.clock.at();
        expected.push({ type, licenseKey, purchaseId, productId: 'app', amount: text, currency: 'EUR', receivedAt });
      }
      assert.deepEqual(await recordsOf(customer), expected);
    });

    it('holds no event that was refused or was a duplicate', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      await customer.report('purchase.refunded', { purchaseId });
      await customer.report('subscription.renewed', { durationDays: 30 });
      await customer.report('subscription.cancelled');
      assert.deepEqual(await recordsOf(customer), []);
      await customer.reported('purchase.completed', { purchaseId, durationDays: 30 });
      await customer.reported('purchase.completed', { purchaseId, durationDays: 30 });
      await customer.report('subscription.renewed');
      const records = await recordsOf(customer);
      assert.deepEqual(
        records.map(({ type, amount, currency }) => [type, amount, currency]),
        [['purchase.completed', null, null]],
      );
    });
  });
