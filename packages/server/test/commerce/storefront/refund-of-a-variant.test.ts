import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`an event without a purchaseId that names a variant on ${engine}`, () => {
    const app = startedApp(engine);

    for (const type of ['purchase.refunded', 'purchase.disputed', 'subscription.renewed', 'subscription.cancelled'])
      it(`${type} takes the newest of two licenses of the variant, not an even newer one of another`, async () => {
        const customer = new Customer(app);
        const bought = [];
        for (const variant of ['studio', 'studio', 'indie']) {
          bought.push(await customer.bought({ variant, durationDays: 30 }));
          app.clock.move(1000);
        }
        const { licenseKey } = await customer.reported(type, { variant: 'studio', durationDays: 30 });
        assert.equal(licenseKey, bought[1].key);
        for (const index of [0, 2]) assert.deepEqual(await readLicense(app, bought[index].key), bought[index]);
      });
  });
