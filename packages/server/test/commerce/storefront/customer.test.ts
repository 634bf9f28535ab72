import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { rowsOf } from '../../support/own-connection.ts';
import { startedApp } from '../../support/started-app.ts';
import { makeCreator } from '../discount-codes/creator.ts';
import { Customer, makeProductWithVariant, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`customer.updated on ${engine}`, () => {
    const app = startedApp(engine);

    const anAddress = () => `${mintUuid()}@example.com`;

    it('gives the licenses of all products of the creator the new address, and no others', async () => {
      const customer = new Customer(app);
      const { productId, creatorId } = await makeCreator(app);
      const second = await makeProductWithVariant(app, { creatorId });
      await app.admin('/updateProduct', { productId: second, creatorId });
      const theirs = [await customer.bought({ productId }), await customer.bought({ productId: second })];
      const others = [
        await customer.bought(),
        await customer.bought({ productId: await makeProductWithVariant(app, {}) }),
      ];
      const newEmail = anAddress();
      assert.deepEqual(await customer.reported('customer.updated', { productId, newEmail }), {
        success: true,
        changed: 2,
        remaining: false,
      });
      for (const { key } of theirs) assert.equal((await readLicense(app, key)).email, newEmail);
      for (const { key } of others) assert.equal((await readLicense(app, key)).email, customer.email);
      const { history } = (await app.admin('/getLicense', { licenseKey: theirs[0].key, history: true })).body;
      assert.match(JSON.stringify(history), /license\.email_changed/);
    });

    it('folds the former address, and answers 0 for a customer without licenses', async () => {
      const customer = new Customer(app);
      const { key } = await customer.bought();
      const newEmail = anAddress();
      const former = ` ${customer.email.toUpperCase()}\u200b`;
      assert.equal((await customer.reported('customer.updated', { email: former, newEmail })).changed, 1);
      assert.equal((await readLicense(app, key)).email, newEmail);
      const nobody = new Customer(app);
      assert.equal((await nobody.reported('customer.updated', { newEmail: anAddress() })).changed, 0);
    });

    it('needs newEmail', async () => {
      const { status, body } = await new Customer(app).report('customer.updated');
      assert.deepEqual([status, body.error], [400, 'customer.updated needs newEmail']);
    });

    it('acts once for an eventId: a repetition after a later change changes nothing', async () => {
      const customer = new Customer(app);
      const { key } = await customer.bought();
      const newEmail = anAddress();
      const event = { eventId: mintUuid(), newEmail };
      await customer.reported('customer.updated', event);
      await customer.reported('customer.updated', { eventId: mintUuid(), email: newEmail, newEmail: customer.email });
      const again = await customer.reported('customer.updated', event);
      assert.deepEqual(again, { success: true, changed: 0, remaining: false, duplicate: true });
      assert.equal((await readLicense(app, key)).email, customer.email);
    });

    it('leaves the eventId unused where nothing was found', async () => {
      const customer = new Customer(app);
      const event = { eventId: mintUuid(), newEmail: anAddress() };
      assert.equal((await customer.reported('customer.updated', event)).changed, 0);
      await customer.bought();
      assert.equal((await customer.reported('customer.updated', event)).changed, 1);
    });

    it('is recorded with the address from now on, which /forgetCustomer finds', async () => {
      const customer = new Customer(app);
      const { key } = await customer.bought();
      const newEmail = anAddress();
      await customer.reported('customer.updated', { newEmail });
      await app.admin('/forgetCustomer', { email: newEmail });
      await app.admin('/forgetCustomer', { email: customer.email });
      const rows = await rowsOf(app.database, `select email from storefront_event where license_key = '${key}'`);
      assert.equal(rows.length, 2);
      for (const { email } of rows) assert.doesNotMatch(`${email}`, /@example\.com$/);
    });

    it('brings no forgotten address back', async () => {
      const customer = new Customer(app);
      const { key } = await customer.bought();
      await app.admin('/forgetCustomer', { email: customer.email });
      assert.equal((await customer.reported('customer.updated', { newEmail: anAddress() })).changed, 0);
      assert.doesNotMatch((await readLicense(app, key)).email, /@example\.com$/);
    });

    it('changes each license once when 20 come at once', async () => {
      const customer = new Customer(app);
      await customer.bought({ quantity: 5 });
      const newEmail = anAddress();
      await fillPool(app);
      const bodies = await Promise.all(
        Array.from({ length: 20 }, () => customer.reported('customer.updated', { newEmail })),
      );
      assert.equal(
        bodies.reduce((sum, { changed }) => sum + changed, 0),
        5,
      );
    });
  });
