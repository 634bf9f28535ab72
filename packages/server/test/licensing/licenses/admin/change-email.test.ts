import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintId } from '../../../../src/ground/base/random.ts';
import { LICENSES_AT_ONCE } from '../../../../src/licensing/licenses/email-change.ts';
import { remediesOf } from '../../../platform/events/events-of.ts';
import { assertRefused, inspect } from '../../../support/answers.ts';
import { ADMIN_SECRET } from '../../../support/app.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { fillPool } from '../../../support/full-pool.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

/** An address that is unique in this app. */
const address = (name: string) => `${name}.${mintId().toLowerCase()}@example.com`;

for (const engine of engines)
  describe(`/changeEmail on ${engine}`, () => {
    const app = startedApp(engine);

    const change = (fields: Readonly<Record<string, unknown>>) => app.admin('/changeEmail', fields);
    const keysOf = async (email: string): Promise<string[]> =>
      (await mustSucceed(app.admin('/listLicenses', { email, limit: 1000 }))).licenses.map(
        ({ key }: { key: string }) => key,
      );

    it('gives one license another address, which apps and lists see at once', async () => {
      const [was, is] = [address('was'), address('Is')];
      const [licenseKey, other] = [await app.license({ email: was }), await app.license({ email: was })];
      const machine = await new Machine(app, licenseKey).activated();
      assert.equal((await machine.verify()).body.email, was);
      const body = await mustSucceed(change({ licenseKey: ` ${licenseKey.toLowerCase()} `, newEmail: is }));
      assert.deepEqual(body, { success: true, changed: 1, remaining: false });
      assert.equal((await machine.verify()).body.email, is);
      assert.equal((await machine.validate()).body.email, is);
      assert.deepEqual([await keysOf(was), await keysOf(is.toLowerCase())], [[other], [licenseKey]]);
    });

    it('409 if the license has another address than the caller saw, and changes nothing', async () => {
      const [was, is, third] = [address('was'), address('is'), address('third')];
      const licenseKey = await app.license({ email: was });
      await mustSucceed(change({ licenseKey, newEmail: is, wasEmail: was }));
      const back = { licenseKey, newEmail: was, wasEmail: is };
      await mustSucceed(change({ licenseKey, newEmail: third }));
      const late = await change(back);
      const error = `License was changed meanwhile by the operator: email from ${is} to ${third}`;
      assert.deepEqual([late.status, late.body], [409, { success: false, error }]);
      assert.deepEqual([await keysOf(third), await keysOf(was)], [[licenseKey], []]);
      await mustSucceed(change({ licenseKey, newEmail: is }));
      await fillPool(app);
      const twice = await Promise.all([change(back), change(back), change(back)]);
      assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 409, 409]);
      assert.deepEqual(await keysOf(was), [licenseKey]);
      const both = await change({ email: was, newEmail: is, wasEmail: was });
      const fault = 'wasEmail belongs to licenseKey; email names the former address';
      assert.deepEqual([both.status, both.body.error], [400, fault]);
    });

    it('gives all licenses of an address another one, in any case', async () => {
      const [was, is] = [address('was'), address('is')];
      const keys = [await app.license({ email: was }), await app.license({ email: was.toUpperCase() })];
      for (const key of keys) assert.equal((await new Machine(app, key).verify()).status, 200);
      const body = await mustSucceed(change({ email: was.toUpperCase(), newEmail: is }));
      assert.deepEqual(body, { success: true, changed: 2, remaining: false });
      assert.deepEqual([await keysOf(was), (await keysOf(is)).sort()], [[], keys.sort()]);
      for (const key of keys) assert.equal((await new Machine(app, key).verify()).body.email, is);
      assert.deepEqual(await mustSucceed(change({ email: was, newEmail: is })), {
        success: true,
        changed: 0,
        remaining: false,
      });
    });

    it('is recorded once for each license that changed', async () => {
      const [was, is] = [address('Was'), address('is')];
      const licenseKey = await app.license({ email: was });
      await mustSucceed(change({ licenseKey, newEmail: is }));
      await mustSucceed(change({ licenseKey, newEmail: is }));
      assert.deepEqual(
        (await remediesOf(app.database, licenseKey)).map(({ type, subject, before: from, after: to }) => ({
          type,
          subject,
          from,
          to,
        })),
        [{ type: 'license.email_changed', subject: was.toLowerCase(), from: { email: was }, to: { email: is } }],
      );
    });

    it('changes 1000 licenses of an address in one call, says that there are more, and goes on', async () => {
      const [was, is] = [address('many'), address('is')];
      const made = 2 + LICENSES_AT_ONCE;
      for (let first = 0; first < made; first += 50)
        await Promise.all(Array.from({ length: Math.min(50, made - first) }, () => app.license({ email: was })));
      assert.deepEqual(await mustSucceed(change({ email: was, newEmail: is })), {
        success: true,
        changed: LICENSES_AT_ONCE,
        remaining: true,
      });
      assert.equal((await keysOf(was)).length, 2);
      assert.deepEqual(await mustSucceed(change({ email: was, newEmail: is })), {
        success: true,
        changed: 2,
        remaining: false,
      });
    });

    it('changes each license once when it is asked for many times at once, while machines come and go', async () => {
      const [was, is] = [address('was'), address('is')];
      const keys = await Promise.all(Array.from({ length: 10 }, () => app.license({ email: was })));
      await fillPool(app);
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 8 }, () => mustSucceed(change({ email: was, newEmail: is })))),
        Promise.all(keys.map((key) => new Machine(app, key).activated())),
      ]);
      assert.equal(
        answers.reduce((sum, { changed }) => sum + changed, 0),
        keys.length,
      );
      for (const licenseKey of keys) {
        const { license, activationCount } = await inspect(app, licenseKey);
        assert.deepEqual([license.email, activationCount], [is, 1]);
        assert.equal((await remediesOf(app.database, licenseKey)).length, 1);
      }
    });

    it('leaves who redeemed which trial code as it is', async () => {
      const [was, is] = [address('was'), address('is')];
      const code = `CODE-${mintId()}`;
      const creator = await Creator.of(app);
      const productId = await creator.product();
      await mustSucceed(creator.send('/createDiscountCode', { code, trialDays: 7 }));
      const redeem = (email: string) => app.send('/redeemTrialCode', { code, productId, email });
      await mustSucceed(redeem(was));
      await mustSucceed(change({ email: was, newEmail: is }));
      assert.equal((await redeem(was)).status, 409);
      assert.equal((await redeem(is)).status, 200);
    });

    it('answers a retry with the same Idempotency-Key as the first time, and acts once', async () => {
      const [was, is] = [address('was'), address('is')];
      const licenseKey = await app.license({ email: was });
      const retry = { headers: { 'idempotency-key': `email-${licenseKey}` } };
      const first = await mustSucceed(app.admin('/changeEmail', { email: was, newEmail: is }, retry));
      await app.license({ email: was });
      assert.deepEqual(await mustSucceed(app.admin('/changeEmail', { email: was, newEmail: is }, retry)), first);
      assert.equal((await keysOf(was)).length, 1);
    });

    it('is for operators alone: 401 for an API key, also for its own license', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product());
      const newEmail = address('is');
      assertRefused(await creator.send('/changeEmail', { licenseKey, newEmail }), 401, 'Unauthorized');
      assertRefused(await app.webhook('/changeEmail', { licenseKey, newEmail }), 401, 'Unauthorized');
    });

    it('404 for a license that there is not', async () => {
      const fields = { licenseKey: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE', newEmail: address('is') };
      assertRefused(await change(fields), 404, 'License not found');
    });

    for (const [what, fields, error] of [
      ['without an address', { licenseKey: 'ANY' }, 'Missing newEmail, and licenseKey or email'],
      ['without what to change', { newEmail: 'is@example.com' }, 'Missing newEmail, and licenseKey or email'],
      [
        'for both at once',
        { newEmail: 'is@example.com', licenseKey: 'ANY', email: 'was@example.com' },
        'Provide licenseKey or email, not both',
      ],
      [
        'for the same address in another case',
        { newEmail: 'Was@example.com', email: 'was@example.com' },
        'newEmail is the address that the licenses have',
      ],
      ['for what is no address', { newEmail: 'nobody', licenseKey: 'ANY' }, 'newEmail must be an e-mail address'],
    ] as const)
      it(`400 ${what}`, async () => {
        assertRefused(await app.send('/changeEmail', { adminSecret: ADMIN_SECRET, ...fields }), 400, error);
      });
  });
