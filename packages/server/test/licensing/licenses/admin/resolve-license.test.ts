import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { remediesOf } from '../../../platform/events/events-of.ts';
import { assertRefused, inspect } from '../../../support/answers.ts';
import { mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

interface ShownViolation {
  readonly id: string;
  readonly type: string;
  readonly resolvedAt: string | null;
}

for (const engine of engines)
  describe(`/resolveLicense on ${engine}`, () => {
    const app = startedApp(engine);

    const read = (licenseKey: string) => inspect(app, licenseKey);
    const revoke = (licenseKey: string, reason?: string) =>
      mustSucceed(app.admin('/revokeLicense', { licenseKey, reason }));

    async function idsOf(licenseKey: string, type?: string): Promise<string[]> {
      const violations: ShownViolation[] = (await read(licenseKey)).violations;
      return violations.filter((each) => type === undefined || each.type === type).map((each) => each.id);
    }

    /** Resolves violations, which must succeed; the reply must equal a later read. */
    async function resolved(licenseKey: string, violationIds: readonly string[]) {
      const body = await mustSucceed(app.admin('/resolveLicense', { licenseKey, violationIds }));
      const { license } = await read(licenseKey);
      assert.deepEqual(body, { success: true, threatLevel: license.threatLevel, license });
      return license;
    }

    /** A license that refused one machine too many. */
    async function withMachineLimit(): Promise<string> {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'first').activated();
      assert.equal((await new Machine(app, licenseKey, 'second').activate()).status, 403);
      assert.equal((await read(licenseKey)).license.threatLevel, 1);
      return licenseKey;
    }

    it('resolves a detected violation: the threat is gone', async () => {
      const licenseKey = await withMachineLimit();
      app.clock.move(1);
      const license = await resolved(licenseKey, await idsOf(licenseKey));
      assert.deepEqual([license.threatLevel, license.status], [0, 'active']);
      assert.equal((await read(licenseKey)).violations[0].resolvedAt, app.clock.at());
    });

    it('lowers the threat to the most severe of what stays open', async () => {
      const licenseKey = await withMachineLimit();
      await revoke(licenseKey, 'fraud');
      const license = await resolved(licenseKey, await idsOf(licenseKey, 'fraud'));
      assert.deepEqual([license.threatLevel, license.status], [1, 'active']);
    });

    it('leaves the revocation alone when only something milder is resolved', async () => {
      const licenseKey = await withMachineLimit();
      await revoke(licenseKey, 'fraud');
      const license = await resolved(licenseKey, await idsOf(licenseKey, 'machine_limit'));
      assert.deepEqual([license.threatLevel, license.status], [4, 'revoked']);
    });

    for (const reason of ['refund', 'fraud'])
      it(`lifts a revocation for ${reason}, for clients too`, async () => {
        const licenseKey = await app.license();
        await revoke(licenseKey, reason);
        assert.equal((await new Machine(app, licenseKey).verify()).status, 403);
        const license = await resolved(licenseKey, await idsOf(licenseKey));
        assert.deepEqual([license.status, license.threatLevel, license.disputeReason], ['active', 0, null]);
        assert.equal((await new Machine(app, licenseKey).verify()).status, 200);
      });

    for (const reason of ['refund', 'fraud'])
      it(`leaves a license revoked for ${reason} where it is to stay so, until reinstatement`, async () => {
        const licenseKey = await withMachineLimit();
        await revoke(licenseKey, reason);
        const [gravest] = await idsOf(licenseKey, reason);
        const fields = { licenseKey, violationIds: [gravest], staysRevoked: true };
        const foreseen = await mustSucceed(app.admin('/resolveLicense', { ...fields, dryRun: true }));
        assert.deepEqual([foreseen.license.status, foreseen.threatLevel], ['revoked', 1]);
        const settled = await mustSucceed(app.admin('/resolveLicense', fields));
        assert.deepEqual([settled.license.status, settled.threatLevel], ['revoked', 1]);
        const { violations } = await mustSucceed(
          app.admin('/listViolations', { licenseKey, open: true, disputes: false }),
        );
        assert.deepEqual(
          violations.map(({ type }: ShownViolation) => type),
          ['machine_limit'],
          'nothing but the milder one still needs somebody',
        );
        // A milder one lifts nothing, although no violation of level 4 is open.
        assert.equal((await resolved(licenseKey, await idsOf(licenseKey, 'machine_limit'))).status, 'revoked');
        assert.equal((await new Machine(app, licenseKey, 'first').verify()).status, 403);
        const { license } = await mustSucceed(app.admin('/reinstateLicense', { licenseKey }));
        assert.equal(license.status, 'active');
      });

    it('lifts a revocation only when nothing of level 4 stays open', async () => {
      const licenseKey = await app.license();
      await revoke(licenseKey, 'refund');
      await revoke(licenseKey, 'fraud');
      const first = await resolved(licenseKey, await idsOf(licenseKey, 'refund'));
      assert.deepEqual([first.status, first.threatLevel], ['revoked', 4]);
      const second = await resolved(licenseKey, await idsOf(licenseKey, 'fraud'));
      assert.deepEqual([second.status, second.threatLevel], ['active', 0]);
    });

    it("does not lift a chargeback's revocation", async () => {
      const licenseKey = await app.license();
      await revoke(licenseKey, 'chargeback');
      const license = await resolved(licenseKey, await idsOf(licenseKey));
      assert.deepEqual([license.status, license.threatLevel], ['revoked', 0]);
      assert.equal(license.disputeReason, 'chargeback');
    });

    it('does not lift a revocation without a reason, with reports before or after it', async () => {
      for (const reasons of [
        [undefined, 'refund'],
        ['fraud', undefined],
      ]) {
        const licenseKey = await app.license();
        for (const reason of reasons) await revoke(licenseKey, reason);
        const license = await resolved(licenseKey, await idsOf(licenseKey));
        assert.deepEqual([license.status, license.threatLevel], ['revoked', 0]);
      }
    });

    it('leaves an expired license expired', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(-1) });
      await revoke(licenseKey, 'refund');
      assert.equal((await resolved(licenseKey, await idsOf(licenseKey))).status, 'expired');
    });

    it('records a repeat as a new violation once the first is resolved', async () => {
      const licenseKey = await withMachineLimit();
      const [first] = await idsOf(licenseKey);
      await resolved(licenseKey, [first ?? '']);
      assert.equal((await new Machine(app, licenseKey, 'third').activate()).status, 403);
      const { violations, license } = await read(licenseKey);
      assert.deepEqual([violations.length, license.threatLevel], [2, 1]);
    });

    it('takes an id named twice, and one that is resolved already, whose time stays', async () => {
      const licenseKey = await withMachineLimit();
      const [id = ''] = await idsOf(licenseKey);
      await resolved(licenseKey, [id, id]);
      const resolvedAt = app.clock.at();
      app.clock.move(1);
      await resolved(licenseKey, [id]);
      assert.equal((await read(licenseKey)).violations[0].resolvedAt, resolvedAt);
    });

    it('answers the same with dryRun, but changes and records nothing', async () => {
      const licenseKey = await withMachineLimit();
      await revoke(licenseKey, 'refund');
      const shown = await read(licenseKey);
      const recorded = await remediesOf(app.database, licenseKey);
      for (const types of [['refund'], ['machine_limit'], ['refund', 'machine_limit']]) {
        const violationIds = (await Promise.all(types.map((type) => idsOf(licenseKey, type)))).flat();
        const foreseen = await mustSucceed(app.admin('/resolveLicense', { licenseKey, violationIds, dryRun: true }));
        assert.deepEqual(await read(licenseKey), shown);
        assert.equal((await new Machine(app, licenseKey).verify()).status, 403);
        assert.equal(foreseen.threatLevel, types.includes('refund') ? (types.length > 1 ? 0 : 1) : 4);
        assert.equal(foreseen.license.status, types.includes('refund') ? 'active' : 'revoked');
      }
      assert.deepEqual(await remediesOf(app.database, licenseKey), recorded);
      const violationIds = await idsOf(licenseKey);
      const foreseen = await mustSucceed(app.admin('/resolveLicense', { licenseKey, violationIds, dryRun: true }));
      assert.deepEqual(await mustSucceed(app.admin('/resolveLicense', { licenseKey, violationIds })), foreseen);
      assert.equal((await new Machine(app, licenseKey).verify()).status, 200);
    });

    it('refuses the same with dryRun', async () => {
      const licenseKey = await withMachineLimit();
      const fields = { licenseKey, violationIds: ['unheard-of'], dryRun: true };
      assertRefused(await app.admin('/resolveLicense', fields), 404, 'Violation not found');
    });

    it('never takes a dryRun for the real call with the same Idempotency-Key: 422, and then acts with another', async () => {
      const licenseKey = await withMachineLimit();
      const violationIds = await idsOf(licenseKey);
      const send = (key: string, dryRun?: boolean) =>
        app.admin('/resolveLicense', { licenseKey, violationIds, dryRun }, { headers: { 'idempotency-key': key } });
      await mustSucceed(send(`look-${licenseKey}`, true));
      assert.equal((await send(`look-${licenseKey}`)).status, 422);
      assert.equal((await read(licenseKey)).license.threatLevel, 1);
      await mustSucceed(send(`do-${licenseKey}`));
      assert.equal((await read(licenseKey)).license.threatLevel, 0);
    });

    for (const [what, foreign] of [
      ['of another license', async () => (await idsOf(await withMachineLimit()))[0] ?? ''],
      ['that there is not', async () => 'unheard-of'],
    ] as const)
      it(`404 for an id ${what}, and nothing is resolved`, async () => {
        const licenseKey = await withMachineLimit();
        const before = await read(licenseKey);
        const violationIds = [...(await idsOf(licenseKey)), await foreign()];
        assertRefused(await app.admin('/resolveLicense', { licenseKey, violationIds }), 404, 'Violation not found');
        assert.deepEqual(await read(licenseKey), before);
      });

    for (const violationIds of [undefined, null, ''])
      it(`400 when violationIds is ${JSON.stringify(violationIds) ?? 'absent'}`, async () => {
        const { status, body } = await app.admin('/resolveLicense', { licenseKey: 'ANY', violationIds });
        assert.deepEqual([status, body], [400, { success: false, error: 'Missing licenseKey or violationIds' }]);
      });

    for (const violationIds of [[], [''], [7], 'id', {}, Array(1001).fill('id')])
      it(`400 for violationIds ${JSON.stringify(violationIds).slice(0, 20)}`, async () => {
        const { status, body } = await app.admin('/resolveLicense', { licenseKey: 'ANY', violationIds });
        assert.deepEqual([status, body.error], [400, 'violationIds must be a list of 1 to 1000 violation identifiers']);
      });
  });
