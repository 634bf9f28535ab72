import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from '../../../support/answers.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`/revokeLicense on ${engine}`, () => {
    const app = startedApp(engine);

    const read = (licenseKey: string) => inspect(app, licenseKey);

    /** Revokes a license, which must succeed; the reply must equal a later read. */
    async function revoked(licenseKey: string, reason?: string) {
      const { success, license } = await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason }));
      assert.equal(success, true);
      assert.deepEqual(license, (await read(licenseKey)).license);
      return license;
    }

    it('revokes without a reason, a violation or a threat', async () => {
      const before = (await read(await app.license())).license;
      assert.deepEqual(await revoked(before.key), { ...before, status: 'revoked' });
      assert.deepEqual((await read(before.key)).violations, []);
    });

    it('409 if the license was revoked otherwise than the caller saw, and changes nothing', async () => {
      const licenseKey = await app.license();
      const revoke = (fields: object) => app.admin('/revokeLicense', { licenseKey, ...fields });
      await mustSucceed(revoke({ reason: 'fraud', wasRevocation: null }));
      const present = await read(licenseKey);
      const { status, body } = await revoke({ reason: 'refund', wasRevocation: null });
      const error = 'License was changed meanwhile by the operator: revocation from none to fraud';
      assert.deepEqual([status, body], [409, { success: false, error }]);
      assert.deepEqual(await read(licenseKey), present);
      await mustSucceed(revoke({ reason: 'chargeback', wasRevocation: 'fraud' }));
    });

    it('has the license refused at all five client endpoints at once', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      assert.equal((await machine.verify()).status, 200);
      await revoked(machine.licenseKey);
      for (const use of ['activate', 'validate', 'verify', 'deactivate', 'heartbeat'] as const) {
        const { status, body } = await machine[use]();
        assert.deepEqual([use, status, body.error], [use, 403, 'License has been revoked']);
      }
    });

    for (const [reason, disputeReason] of [
      ['refund', 'refund'],
      ['chargeback', 'chargeback'],
      ['fraud', null],
    ] as const)
      it(`records a ${reason} at the most severe level and sets disputeReason to ${disputeReason}`, async () => {
        const licenseKey = await app.license();
        const license = await revoked(licenseKey, reason);
        assert.deepEqual([license.status, license.threatLevel, license.disputeReason], ['revoked', 4, disputeReason]);
        const { violations } = await read(licenseKey);
        const [{ id, ...violation }] = violations;
        assert.equal(violations.length, 1);
        assert.deepEqual(violation, {
          type: reason,
          severity: 4,
          occurrences: 1,
          firstSeen: app.clock.at(),
          lastSeen: app.clock.at(),
          evidence: { reportedBy: 'operator' },
          resolvedAt: null,
        });
      });

    it('distinguishes a creator who revoked from an operator', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product());
      await mustSucceed(creator.send('/revokeLicense', { licenseKey, reason: 'fraud' }));
      assert.deepEqual((await read(licenseKey)).violations[0].evidence, { reportedBy: 'creator' });
    });

    it('records the same reason twice when it comes twice', async () => {
      const licenseKey = await app.license();
      await revoked(licenseKey, 'refund');
      app.clock.move(1);
      await revoked(licenseKey, 'refund');
      const { violations } = await read(licenseKey);
      assert.deepEqual(
        violations.map((violation: { type: string }) => violation.type),
        ['refund', 'refund'],
      );
      assert.notEqual(violations[0].id, violations[1].id);
    });

    it('is not softened by a refund after a chargeback', async () => {
      const licenseKey = await app.license();
      await revoked(licenseKey, 'chargeback');
      const license = await revoked(licenseKey, 'refund');
      assert.deepEqual([license.status, license.disputeReason], ['revoked', 'chargeback']);
      assert.equal((await app.admin('/updateLicense', { licenseKey, status: 'active' })).status, 409);
    });

    it('is hardened by a chargeback after a refund', async () => {
      const licenseKey = await app.license();
      await revoked(licenseKey, 'refund');
      const license = await revoked(licenseKey, 'chargeback');
      assert.equal(license.disputeReason, 'chargeback');
      assert.equal((await app.admin('/updateLicense', { licenseKey, status: 'active' })).status, 409);
    });

    it('keeps the disputeReason when fraud is reported as well', async () => {
      const licenseKey = await app.license();
      await revoked(licenseKey, 'refund');
      assert.equal((await revoked(licenseKey, 'fraud')).disputeReason, 'refund');
    });

    it('keeps reason, dispute and threat of a license that is revoked again without a reason', async () => {
      const licenseKey = await app.license();
      await revoked(licenseKey, 'refund');
      const license = await revoked(licenseKey);
      assert.deepEqual([license.status, license.disputeReason, license.threatLevel], ['revoked', 'refund', 4]);
    });

    it('leaves the machines bound, so that a reinstated license works as before', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      await revoked(machine.licenseKey, 'fraud');
      assert.equal((await read(machine.licenseKey)).activations.length, 1);
    });

    for (const reason of ['abuse', 'Refund', 7])
      it(`400 for the reason ${JSON.stringify(reason)}, and revokes nothing`, async () => {
        const licenseKey = await app.license();
        const { status, body } = await app.admin('/revokeLicense', { licenseKey, reason });
        assert.deepEqual([status, body.error], [400, 'reason must be one of refund, chargeback, fraud']);
        assert.equal((await read(licenseKey)).license.status, 'active');
      });

    it('treats an empty or null reason as none', async () => {
      for (const reason of ['', null]) {
        const licenseKey = await app.license();
        await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason }));
        assert.deepEqual((await read(licenseKey)).violations, []);
      }
    });
  });
