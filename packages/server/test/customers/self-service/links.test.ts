/** /createCustomerLink and the command `customer-link` (rules 13.2, 13.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET, startApp } from '../../support/app.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { signIn } from '../../support/console.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { SELF_SERVICE } from './shop.ts';

for (const engine of engines)
  describe(`/createCustomerLink on ${engine}`, () => {
    const app = startedApp(engine, SELF_SERVICE);

    it('is open to the admin secret, the webhook secret, API keys and support, with any Host', async () => {
      const licenseKey = await app.license({ email: 'ada@example.com' });
      const headers = { host: 'evil.example.com' };
      const links = [
        await app.admin('/createCustomerLink', { licenseKey }, { headers }),
        await app.webhook('/createCustomerLink', { email: 'ADA@example.com' }, { headers }),
        await (await signIn(app, { secret: ADMIN_SECRET })).call('/createCustomerLink', { licenseKey }),
      ];
      for (const { status, body } of links) {
        assert.equal(status, 200, JSON.stringify(body));
        assert.match(body.url, /^https:\/\/licenses\.example\.com\/my\/enter\?c=[\w-]{43}$/);
      }
      const creator = await Creator.of(app);
      const product = await creator.product();
      const { body } = await creator.send('/createLicense', { email: 'ada@example.com', productId: product });
      const link = await creator.send('/createCustomerLink', { licenseKey: body.licenseKey });
      assert.match(link.body.url, new RegExp(`&shop=${encodeURIComponent(creator.creatorId)}$`));
    });

    it('records who made it, with the license and without the address', async () => {
      const licenseKey = await app.license({ email: 'eve@example.com' });
      const { body } = await app.webhook('/createCustomerLink', { email: 'eve@example.com', minutes: 30 });
      const { events } = (await app.admin('/listEvents', { licenseKey })).body;
      const [event] = events;
      assert.deepEqual([event.type, event.actor.kind], ['customer_link.created', 'storefront']);
      assert.deepEqual(event.after, { expiresAt: body.expiresAt, creatorId: null });
    });

    it('is valid for an hour unless the call says otherwise', async () => {
      const licenseKey = await app.license();
      const { body } = await app.admin('/createCustomerLink', { licenseKey });
      assert.equal(Date.parse(body.expiresAt) - app.clock.now(), HOUR_MS);
    });

    it('400 without a customer and with two, 404 for an address without a license', async () => {
      const licenseKey = await app.license();
      const both = await app.admin('/createCustomerLink', { licenseKey, email: 'ada@example.com' });
      assertRefused(both, 400, 'email cannot be given together with licenseKey');
      assertRefused(await app.admin('/createCustomerLink'), 400, 'Missing licenseKey or email');
      const unknown = await app.admin('/createCustomerLink', { email: 'nobody@example.com' });
      assertRefused(unknown, 404, 'License not found');
    });

    it('409 for a trial of nobody that is known', async () => {
      await mustSucceed(app.admin('/createProduct', { name: 'Tried', slug: 'tried', creatorId: 'ada' }));
      const variant = { productId: 'tried', name: 'try', defaultTrialDays: 14, trialWithoutKey: true };
      await mustSucceed(app.admin('/createVariant', variant));
      const fields = { productId: 'tried', machineFingerprint: 'one', hostname: 'box' };
      const { licenseKey } = await mustSucceed(app.send('/startTrial', fields));
      const { status, headers } = await app.admin('/createCustomerLink', { licenseKey });
      assert.deepEqual([status, headers['latchkey-code']], [409, 'address_not_mailable']);
    });

    it('is not the path of a call of the pages: those have no path', async () => {
      for (const path of ['/askForCode', '/enterLink', '/getMyLicense', '/releaseMyDevice'])
        assert.equal((await app.admin(path, { session: 'a'.repeat(43) })).status, 404, path);
    });
  });

describe('a link for a customer', () => {
  it('409 while self-service is off', async () => {
    const app = await startApp('sqlite');
    const licenseKey = await app.license();
    assertRefused(await app.admin('/createCustomerLink', { licenseKey }), 409, 'Self-service is off');
    await app.stop();
  });

  it('is printed by the command customer-link, beside the running service', async (test) => {
    const database = await freshDatabase('sqlite', test);
    const app = await startApp('sqlite', SELF_SERVICE, database);
    test.after(() => app.stop());
    const licenseKey = await app.license({ email: 'cli@example.com' });
    const environment = { ...environmentOf(database.database), ...SELF_SERVICE };
    for (const customer of [licenseKey, 'CLI@example.com']) {
      const { code, out, err } = await runCommandHere(['customer-link', customer, '--minutes', '5'], environment);
      assert.equal(code, 0, err);
      assert.match(out, /^https:\/\/licenses\.example\.com\/my\/enter\?c=[\w-]{43}\n$/);
    }
    const { events } = (await app.admin('/listEvents', { licenseKey })).body;
    assert.deepEqual(events[0].actor, { kind: 'command', id: 'customer-link', keyName: null });
    for (const [args, said] of [
      [['nobody@example.com'], /License not found/],
      [[licenseKey, '--minutes', '4'], /--minutes must be a whole number from 5 to 4320/],
    ] as const) {
      const { code, err } = await runCommandHere(['customer-link', ...args], environment);
      assert.equal(code, 1);
      assert.match(err, said);
    }
    const off = await runCommandHere(['customer-link', licenseKey], environmentOf(database.database));
    assert.match(off.err, /The pages for customers are off \(LATCHKEY_SELF_SERVICE\)/);
  });
});
