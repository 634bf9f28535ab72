import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`a partial refund on ${engine}`, () => {
    const app = startedApp(engine);

    it('leaves the license as it is, and a note on it', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const license = await customer.bought({ purchaseId });
      const refund = { purchaseId, amount: -1000, currency: 'eur', partial: true };
      assert.deepEqual(await customer.reported('purchase.refunded', refund), {
        success: true,
        licenseKey: license.key,
        license,
      });
      assert.equal((await new Machine(app, license.key).activate()).status, 200);
      const { violations, history } = (await app.admin('/getLicense', { licenseKey: license.key, history: true })).body;
      assert.deepEqual(violations, []);
      const [note] = history.filter(({ kind }: { kind: string }) => kind === 'note');
      assert.deepEqual(
        [note.event.type, note.event.after, note.event.actor.kind],
        ['license.noted', { text: 'Part of the purchase was refunded: €10.00.', reason: 'refund' }, 'storefront'],
      );
    });

    it('does not undo a revocation, and a full refund after it revokes', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const { key } = await customer.bought({ purchaseId });
      await customer.reported('purchase.refunded', { purchaseId, partial: true });
      await customer.reported('purchase.refunded', { purchaseId, partial: false });
      assert.equal((await readLicense(app, key)).status, 'revoked');
      await customer.reported('purchase.refunded', { purchaseId, partial: true });
      assert.equal((await readLicense(app, key)).status, 'revoked');
    });

    it('acts once for an eventId, and 404 without a license', async () => {
      const customer = new Customer(app);
      const { key } = await customer.bought();
      const refund = { partial: true, eventId: mintUuid() };
      await customer.reported('purchase.refunded', refund);
      assert.equal((await customer.reported('purchase.refunded', refund)).duplicate, true);
      const { history } = (await app.admin('/getLicense', { licenseKey: key, history: true })).body;
      assert.equal(history.filter(({ kind }: { kind: string }) => kind === 'note').length, 1);
      assert.equal((await new Customer(app).report('purchase.refunded', { partial: true })).status, 404);
    });

    it('400 that names partial for an event of another type', async () => {
      const customer = new Customer(app);
      await customer.bought();
      for (const type of ['purchase.completed', 'purchase.disputed', 'subscription.renewed', 'subscription.cancelled'])
        for (const partial of [true, false]) {
          const { status, body } = await customer.report(type, { partial, durationDays: 5 });
          assert.deepEqual([status, body.error], [400, 'partial is a field of purchase.refunded only'], type);
        }
      assert.match((await customer.report('purchase.refunded', { partial: 'yes' })).body.error, /^partial must be/);
    });
  });
