import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../../src/ground/base/clock.ts';
import { assertRefused, inspect } from '../../../support/answers.ts';
import { ADMIN_SECRET, type Answer } from '../../../support/app.ts';
import { signIn } from '../../../support/console.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { fillPool } from '../../../support/full-pool.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`/updateLicense on ${engine}`, () => {
    const app = startedApp(engine);

    const read = async (licenseKey: string) => (await inspect(app, licenseKey)).license;

    /** Updates a license, which must succeed; the reply must equal a later read. */
    async function updated(licenseKey: string, changes: Readonly<Record<string, unknown>>) {
      const { success, license } = await mustSucceed(app.admin('/updateLicense', { licenseKey, ...changes }));
      assert.equal(success, true);
      assert.deepEqual(license, await read(licenseKey));
      return license;
    }

    for (const [field, value] of [
      ['variant', 'studio'],
      ['licenseType', 'site'],
      ['maxMachines', -1],
      ['maxConcurrent', 12],
      ['expiresAt', '2040-01-31T00:00:00.000Z'],
      ['status', 'revoked'],
    ] as const)
      it(`changes ${field} and nothing else`, async () => {
        const before = await read(await app.license());
        assert.notEqual(before[field], value);
        assert.deepEqual(await updated(before.key, { [field]: value }), { ...before, [field]: value });
      });

    it('changes several fields at once', async () => {
      const before = await read(await app.license());
      const changes = { variant: 'team', licenseType: 'floating', maxConcurrent: 3, maxMachines: 10 };
      assert.deepEqual(await updated(before.key, changes), { ...before, ...changes });
    });

    it('changes nothing when nothing is given, nor for null where null means nothing', async () => {
      const before = await read(await app.license({ maxConcurrent: 4, expiresAt: app.clock.at(DAY_MS) }));
      assert.deepEqual(await updated(before.key, {}), before);
      const nothing = { variant: null, licenseType: null, maxMachines: null, maxConcurrent: null, status: null };
      assert.deepEqual(await updated(before.key, nothing), before);
    });

    it('ignores fields that cannot be changed', async () => {
      const before = await read(await app.license());
      const others = {
        email: 'eve@example.com',
        productId: 'else',
        purchaseId: 'p',
        createdAt: '2000-01-01',
        key: 'X',
      };
      assert.deepEqual(await updated(before.key, others), before);
    });

    it('makes a license perpetual by a null expiresAt', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(-DAY_MS) });
      const license = await updated(licenseKey, { expiresAt: null });
      assert.deepEqual([license.expiresAt, license.status], [null, 'active']);
    });

    it('makes an expired license active by a later expiresAt, for its machines too', async () => {
      const machine = await new Machine(app, await app.license({ expiresAt: app.clock.at(1) })).activated();
      app.clock.move(1);
      assert.equal((await machine.validate()).body.error, 'License has expired');
      const license = await updated(machine.licenseKey, { expiresAt: app.clock.at(DAY_MS) });
      assert.equal(license.status, 'active');
      assert.equal((await machine.validate()).status, 200);
    });

    it('expires a license at once by an expiresAt in the past', async () => {
      const licenseKey = await app.license();
      assert.equal((await new Machine(app, licenseKey).verify()).status, 200);
      assert.equal((await updated(licenseKey, { expiresAt: app.clock.at(-1) })).status, 'expired');
      assert.equal((await new Machine(app, licenseKey).verify()).body.error, 'License has expired');
    });

    it('revokes by status, without a reason, a violation or a threat', async () => {
      const licenseKey = await app.license();
      assert.equal((await new Machine(app, licenseKey).verify()).status, 200);
      const license = await updated(licenseKey, { status: 'revoked' });
      assert.deepEqual([license.status, license.threatLevel, license.disputeReason], ['revoked', 0, null]);
      assert.deepEqual((await inspect(app, licenseKey)).violations, []);
      assert.equal((await new Machine(app, licenseKey).verify()).body.error, 'License has been revoked');
    });

    for (const reason of [undefined, 'refund', 'fraud'])
      it(`lifts a revocation ${reason ? `for ${reason}` : 'without a reason'} by status`, async () => {
        const licenseKey = await app.license();
        await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason }));
        assert.equal((await updated(licenseKey, { status: 'active' })).status, 'active');
        assert.equal((await new Machine(app, licenseKey).verify()).status, 200);
      });

    it("409 for lifting a chargeback's revocation, and changes nothing of what else was given", async () => {
      const licenseKey = await app.license();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'chargeback' }));
      const before = await read(licenseKey);
      const answer = await app.admin('/updateLicense', { licenseKey, status: 'active', maxMachines: 9 });
      assertRefused(answer, 409, 'License was revoked by a chargeback. Only /reinstateLicense undoes it.');
      assert.deepEqual(await read(licenseKey), before);
    });

    it("keeps a chargeback's revocation when the license is revoked again by status", async () => {
      const licenseKey = await app.license();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'chargeback' }));
      await updated(licenseKey, { status: 'revoked' });
      assert.equal((await app.admin('/updateLicense', { licenseKey, status: 'active' })).status, 409);
    });

    it('changes other fields of a license that a chargeback revoked', async () => {
      const licenseKey = await app.license();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'chargeback' }));
      assert.equal((await updated(licenseKey, { maxMachines: 9 })).maxMachines, 9);
    });

    it('says expired of an expired license that is set to active', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(-1) });
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      assert.equal((await updated(licenseKey, { status: 'active' })).status, 'expired');
    });

    it('lets bound machines work on under a lowered limit, and no further one in', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      const [one, other] = [
        await new Machine(app, licenseKey, 'one').activated(),
        await new Machine(app, licenseKey, 'other').activated(),
      ];
      await updated(licenseKey, { maxMachines: 1 });
      assert.deepEqual([(await one.validate()).status, (await other.validate()).status], [200, 200]);
      await one.deactivate();
      const third = new Machine(app, licenseKey, 'third');
      assert.equal((await third.activate()).status, 403);
      await other.deactivate();
      assert.equal((await third.activate()).status, 200);
    });

    it('lets another machine in at once under a raised limit', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'one').activated();
      const other = new Machine(app, licenseKey, 'other');
      assert.equal((await other.activate()).status, 403);
      await updated(licenseKey, { maxMachines: 2 });
      assert.equal((await other.activate()).status, 200);
    });

    it('ends the sessions of a floating license that becomes another type; its machines stay', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxMachines: 2, maxConcurrent: 1 });
      const machine = await new Machine(app, licenseKey).activated();
      await updated(licenseKey, { licenseType: 'per-machine' });
      const { activations } = await inspect(app, licenseKey);
      assert.deepEqual([activations.length, activations[0].sessionActive], [1, false]);
      assert.equal((await machine.validate()).status, 200);
      const verified = (await machine.verify()).body;
      assert.deepEqual([verified.machinesUsed, verified.maxMachines], [1, 2]);
    });

    it('gives the machines of a license that becomes floating their slots as they show life', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      const [one, other] = [
        await new Machine(app, licenseKey, 'one').activated(),
        await new Machine(app, licenseKey, 'other').activated(),
      ];
      await updated(licenseKey, { licenseType: 'floating', maxConcurrent: 1 });
      assert.equal((await one.validate()).status, 200);
      assert.equal((await other.validate()).body.error, 'Machine not activated');
      const verified = (await one.verify()).body;
      assert.deepEqual([verified.machinesUsed, verified.maxMachines], [1, 1]);
    });

    it('409 for a license of an archived product, and changes nothing', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const licenseKey = await creator.license(productId);
      await mustSucceed(creator.send('/updateProduct', { productId, status: 'archived' }));
      const before = await read(licenseKey);
      for (const send of [app.admin, creator.send]) {
        assertRefused(await send('/updateLicense', { licenseKey, maxMachines: 9 }), 409, 'Product is archived');
      }
      assert.deepEqual(await read(licenseKey), before);
    });

    it('still revokes, resolves, reinstates and resets licenses of an archived product', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const licenseKey = await creator.license(productId);
      await mustSucceed(creator.send('/updateProduct', { productId, status: 'archived' }));
      await mustSucceed(creator.send('/revokeLicense', { licenseKey, reason: 'refund' }));
      const { violations } = await mustSucceed(creator.send('/getLicense', { licenseKey }));
      const violationIds = (violations as { id: string }[]).map(({ id }) => id);
      assert.equal(violationIds.length, 1);
      await mustSucceed(creator.send('/resolveLicense', { licenseKey, violationIds }));
      for (const path of ['/revokeLicense', '/reinstateLicense', '/resetActivations'])
        await mustSucceed(creator.send(path, { licenseKey }));
    });

    for (const [field, value, errorText] of [
      ['status', 'expired', 'must be one of active, revoked'],
      ['licenseType', 'trial', 'must be one of per-machine, floating, site'],
      ['maxMachines', 0, 'must be -1 (unlimited) or a whole number from 1 to 1000000000'],
      ['maxMachines', '3', 'must be -1 (unlimited) or a whole number from 1 to 1000000000'],
      ['maxConcurrent', -1, 'must be a whole number from 1 to 1000000000'],
      ['expiresAt', 'never', 'must be an ISO 8601 timestamp, for example 2027-01-31T00:00:00Z, or null'],
      ['variant', [], 'must be a string of at most 255 characters'],
    ] as const)
      it(`400 for ${field} ${JSON.stringify(value)}, and changes nothing`, async () => {
        const before = await read(await app.license());
        const changes = { maxMachines: 9, variant: 'other', [field]: value };
        const { status, body } = await app.admin('/updateLicense', { licenseKey: before.key, ...changes });
        assert.deepEqual([status, body], [400, { success: false, error: `${field} ${errorText}` }]);
        assert.deepEqual(await read(before.key), before);
      });

    for (const [field, stored, was] of [
      ['variant', 'studio', 'wasVariant'],
      ['licenseType', 'site', 'wasLicenseType'],
      ['maxMachines', 7, 'wasMaxMachines'],
      ['maxConcurrent', 12, 'wasMaxConcurrent'],
      ['expiresAt', '2040-01-31T00:00:00.000Z', 'wasExpiresAt'],
      ['graceDays', 7, 'wasGraceDays'],
      ['updatesUntil', '2040-01-31T00:00:00.000Z', 'wasUpdatesUntil'],
      ['maxVersion', '2.3', 'wasMaxVersion'],
      ['releaseIdleDays', 30, 'wasReleaseIdleDays'],
      ['maxUsers', 5, 'wasMaxUsers'],
      ['maxMachinesPerUser', 2, 'wasMaxMachinesPerUser'],
      ['usersFloat', true, 'wasUsersFloat'],
    ] as const)
      it(`409 if ${field} is no longer as the caller saw it, and changes nothing`, async () => {
        const seen = await read(await app.license());
        const present = await updated(seen.key, { [field]: stored });
        const changes = { variant: 'mine', maxMachines: 9, [was]: seen[field] ?? null };
        const { status, body, headers } = await app.admin('/updateLicense', { licenseKey: seen.key, ...changes });
        const error = `License was changed meanwhile by the operator: ${field} from ${seen[field] ?? 'none'} to ${stored}`;
        assert.deepEqual([status, body], [409, { success: false, error }]);
        assert.equal(headers['latchkey-code'], 'changed_meanwhile');
        assert.deepEqual(await read(seen.key), present);
        assert.equal((await updated(seen.key, { ...changes, [was]: stored })).maxMachines, 9);
      });

    for (const [field, first, second, third, error] of [
      ['features', null, { layers: 10 }, { layers: 20 }, 'features.layers from none to 10'],
      ['features', { layers: 10 }, { layers: 10, cloud: null }, null, 'features.cloud from none to null'],
      ['features', { cloud: null, layers: 1 }, { layers: 1 }, null, 'features.cloud from null to none'],
      [
        ...([
          'features',
          { cloud: true },
          { cloud: { value: true, until: '2040-01-31T00:00:00.000Z' } },
          null,
        ] as const),
        `features.cloud from true to {"value":true,"until":"2040-01-31T00:00:00.000Z"}`,
      ],
      ['meters', null, { exports: { limit: 5 } }, null, 'meters.exports from none to {"limit":5}'],
      ['unlockedProducts', [], ['brush'], ['brush', 'pen'], 'unlockedProducts from [] to ["brush"]'],
      ['metadata', { order: 'A' }, { order: 'B' }, { order: 'C' }, 'metadata.order from A to B'],
      ['metadata', { order: null }, { order: 'B' }, { order: 'C' }, 'metadata.order from none to B'],
      ['metadata', { ['__proto__']: null }, { ['__proto__']: 'B' }, { a: 'C' }, 'metadata.__proto__ from none to B'],
    ] as const)
      it(`409 if ${error}, and changes nothing`, async () => {
        const { licenseKey } = await mustSucceed(
          app.admin('/createLicense', { email: 'a@example.com', productId: 'p' }),
        );
        await updated(licenseKey, { [field]: first });
        await updated(licenseKey, { [field]: second });
        const was = `was${field.charAt(0).toUpperCase()}${field.slice(1)}`;
        const present = await read(licenseKey);
        const late = await app.admin('/updateLicense', { licenseKey, [field]: third, [was]: first });
        assert.deepEqual(
          [late.status, late.body.error],
          [409, `License was changed meanwhile by the operator: ${error}`],
        );
        assert.deepEqual(await read(licenseKey), present);
        await updated(licenseKey, { [field]: third, [was]: second });
      });

    it('compares the names of metadata that the caller saw, and no others, also for the event that it undoes', async () => {
      const { licenseKey } = await mustSucceed(app.admin('/createLicense', { email: 'a@example.com', productId: 'p' }));
      await updated(licenseKey, { metadata: { order: 'A' } });
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
      await updated(licenseKey, { metadata: { note: 'of another person' } });
      const undo = { metadata: { order: null }, wasMetadata: { order: 'A' }, undoes: events[0].id };
      const { metadata } = await updated(licenseKey, undo);
      assert.deepEqual(metadata, { note: 'of another person' });
      await updated(licenseKey, { metadata: { order: 'A' } });
      const again = await app.admin('/updateLicense', { licenseKey, ...undo });
      assert.equal(again.body.error, 'License was changed meanwhile by the operator: metadata.order from none to A');
    });

    it('names the author of a change meanwhile to the operator, and its kind to a creator', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product());
      const { maxMachines } = await read(licenseKey);
      const { call } = await signIn(app, { secret: ADMIN_SECRET, name: 'Ada' });
      await mustSucceed(call('/updateLicense', { licenseKey, maxMachines: 7 }));
      // Later changes of other values are not the reason.
      await mustSucceed(app.admin('/updateLicense', { licenseKey, variant: 'other' }));
      const late = { licenseKey, maxMachines: 8, wasMaxMachines: maxMachines };
      const errorOf = async (answer: Promise<Answer>) => (await answer).body.error;
      const text = (author: string) =>
        `License was changed meanwhile by ${author}: maxMachines from ${maxMachines} to 7`;
      assert.equal(await errorOf(app.admin('/updateLicense', late)), text('admin (Ada)'));
      assert.equal(await errorOf(creator.send('/updateLicense', late)), text('the operator'));
    });

    it('lets one of many changes through that saw the same value', async () => {
      const licenseKey = await app.license({ maxMachines: 4 });
      await fillPool(app);
      const answers = await Promise.all(
        [5, 6, 7, 8, 9, 10].map((maxMachines) =>
          app.admin('/updateLicense', { licenseKey, maxMachines, wasMaxMachines: 4 }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
      const winner = answers.find(({ status }) => status === 200)?.body.license;
      assert.equal((await read(licenseKey)).maxMachines, winner.maxMachines);
    });

    it('loses none of many changes that come at once', async () => {
      const licenseKey = await app.license();
      const changes = [{ variant: 'many' }, { maxMachines: 31 }, { maxConcurrent: 17 }, { licenseType: 'floating' }];
      await fillPool(app);
      await Promise.all(changes.map((change) => mustSucceed(app.admin('/updateLicense', { licenseKey, ...change }))));
      const { variant, maxMachines, maxConcurrent, licenseType } = await read(licenseKey);
      assert.deepEqual([variant, maxMachines, maxConcurrent, licenseType], ['many', 31, 17, 'floating']);
    });
  });
