import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from '../../../support/answers.ts';
import { mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`/reinstateLicense on ${engine}`, () => {
    const app = startedApp(engine);

    const read = (licenseKey: string) => inspect(app, licenseKey);

    /** Reinstates a license, which must succeed; the reply must equal a later read. */
    async function reinstated(licenseKey: string) {
      const { success, license } = await mustSucceed(app.admin('/reinstateLicense', { licenseKey }));
      assert.equal(success, true);
      assert.deepEqual(license, (await read(licenseKey)).license);
      return license;
    }

    for (const reason of [undefined, 'refund', 'fraud', 'chargeback'])
      it(`undoes a revocation ${reason ? `for ${reason}` : 'without a reason'} as if it had not been`, async () => {
        const before = (await read(await app.license())).license;
        await mustSucceed(app.admin('/revokeLicense', { licenseKey: before.key, reason }));
        app.clock.move(1);
        assert.deepEqual(await reinstated(before.key), before);
        const { violations } = await read(before.key);
        assert.deepEqual(
          violations.map((violation: { type: string; resolvedAt: string }) => [violation.type, violation.resolvedAt]),
          reason === undefined ? [] : [[reason, app.clock.at()]],
        );
      });

    it('409 if the license was revoked otherwise than the caller saw, or reinstated, and changes nothing', async () => {
      const licenseKey = await app.license();
      const take = () => app.admin('/reinstateLicense', { licenseKey, wasRevocation: 'plain' });
      const errorOf = async () => {
        const { status, body } = await take();
        assert.equal(status, 409);
        return body.error;
      };
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'chargeback' }));
      const author = 'License was changed meanwhile by the operator: revocation from plain to';
      assert.equal(await errorOf(), `${author} chargeback`);
      const { license, violations } = await read(licenseKey);
      assert.deepEqual([license.status, violations[0].resolvedAt], ['revoked', null]);
      await mustSucceed(app.admin('/reinstateLicense', { licenseKey, wasRevocation: 'chargeback' }));
      assert.equal(await errorOf(), `${author} none`);
      const wrong = await app.admin('/reinstateLicense', { licenseKey, wasRevocation: 'other' });
      const error = 'wasRevocation must be one of refund, fraud, plain, chargeback, replaced, or null';
      assert.deepEqual([wrong.status, wrong.body.error], [400, error]);
    });

    it('lets machines work again with the tokens that they have', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: machine.licenseKey, reason: 'chargeback' }));
      assert.equal((await machine.verify()).status, 403);
      await reinstated(machine.licenseKey);
      assert.deepEqual([(await machine.verify()).status, (await machine.validate()).status], [200, 200]);
    });

    it('resolves open violations of level 4 and leaves milder ones', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'first').activated();
      assert.equal((await new Machine(app, licenseKey, 'second').activate()).status, 403);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'refund' }));
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'fraud' }));
      assert.equal((await reinstated(licenseKey)).threatLevel, 1);
      const open = (await read(licenseKey)).violations.filter(
        (each: { resolvedAt: unknown }) => each.resolvedAt === null,
      );
      assert.deepEqual(
        open.map((violation: { type: string }) => violation.type),
        ['machine_limit'],
      );
    });

    it('keeps the time at which a violation was resolved before', async () => {
      const licenseKey = await app.license();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'fraud' }));
      await reinstated(licenseKey);
      const resolvedAt = app.clock.at();
      app.clock.move(1);
      await reinstated(licenseKey);
      assert.equal((await read(licenseKey)).violations[0].resolvedAt, resolvedAt);
    });

    it('leaves an expired license expired', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(-1) });
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      assert.equal((await reinstated(licenseKey)).status, 'expired');
    });

    it('changes nothing of a license that is not revoked', async () => {
      const before = (await read(await app.license())).license;
      assert.deepEqual(await reinstated(before.key), before);
    });
  });
