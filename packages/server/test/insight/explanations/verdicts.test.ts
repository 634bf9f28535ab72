/** The verdict of an explanation: each case is caused through the service, and recognised by its evidence. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { VERDICTS } from '../../../src/insight/support/verdict-views.ts';
import { activatedBy } from '../../licensing/users/using.ts';
import type { Answer } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { actionsOf, checkIn, explain } from './explaining.ts';

type Fields = Readonly<Record<string, unknown>>;

for (const engine of engines)
  describe(`the verdict on ${engine} is`, () => {
    const app = startedApp(engine);
    const seen = new Set<string>();

    async function explained(licenseKey: string, fields: Fields = {}): Promise<Answer['body']> {
      const explanation = await explain(app, { licenseKey, ...fields });
      seen.add(explanation.verdict.code);
      return explanation;
    }
    const verdict = async (licenseKey: string, fields?: Fields) => (await explained(licenseKey, fields)).verdict;
    const inBrief = ({ code, firstStep, evidence }: Answer['body']) => [code, firstStep, evidence];

    /** A machine with a name of its own. */
    async function activate(licenseKey: string, machineFingerprint: string, hostname: string): Promise<string> {
      const fields = { licenseKey, machineFingerprint, hostname, productId: 'app' };
      const { headers } = await app.send('/activate', fields);
      return String(headers['latchkey-code'] ?? 'ok');
    }

    /** A license for one machine, and other machines that are refused within an hour. */
    async function crowded(strangers: number, order: Fields = {}): Promise<string> {
      const licenseKey = await app.license({ maxMachines: 1, ...order });
      await new Machine(app, licenseKey, 'own').activated();
      for (let index = 0; index < strangers; index++) {
        app.clock.move(HOUR_MS / 10);
        assert.equal(await activate(licenseKey, `stranger ${index}`, `host ${index}`), 'machine_limit');
      }
      return licenseKey;
    }

    it('dead_machine for a slot holder that was not seen for 30 days, which is then freed first', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      await new Machine(app, licenseKey, 'old').activated();
      app.clock.move(29 * DAY_MS);
      await new Machine(app, licenseKey, 'desk').activated();
      await new Machine(app, licenseKey, 'new').activate();
      const before = await verdict(licenseKey);
      assert.deepEqual([before.code, before.firstStep], ['new_computer', 'reply']);
      app.clock.move(DAY_MS);
      assert.deepEqual(await verdict(licenseKey), {
        code: 'dead_machine',
        sentence: '"host of old" has a slot and was last seen 30 days ago.',
        evidence: { limit: 2, used: 2, idleDays: 30 },
        firstStep: 'remedy',
      });
    });

    it('new_computer while every slot holder was seen lately', async () => {
      const licenseKey = await crowded(1);
      app.clock.move(3 * DAY_MS);
      assert.deepEqual(await verdict(licenseKey), {
        code: 'new_computer',
        sentence: 'The one slot is taken. The machine not seen for longest is "host of own": 3 days ago.',
        evidence: { limit: 1, used: 1, idleDays: 3 },
        firstStep: 'reply',
      });
    });

    it('new_computer, not dead_machine, for a slot holder with a license file for use without a connection', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const far = { machineFingerprint: 'far', hostname: 'Far away' };
      await mustSucceed(app.admin('/createLicenseFile', { licenseKey, ...far }));
      app.clock.move(300 * DAY_MS);
      await new Machine(app, licenseKey, 'new').activate();
      assert.equal((await verdict(licenseKey)).code, 'new_computer');
      app.clock.move(100 * DAY_MS);
      await new Machine(app, licenseKey, 'new').activate();
      assert.equal((await verdict(licenseKey)).code, 'dead_machine');
    });

    it('reinstalled for a refused machine whose name a silent slot holder has, which is then freed first', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      await activate(licenseKey, 'other', 'other-pc');
      app.clock.move(DAY_MS);
      await activate(licenseKey, 'before', 'Studio-PC');
      app.clock.move(2 * DAY_MS);
      assert.equal(await activate(licenseKey, 'after', 'studio-pc'), 'machine_limit');
      app.clock.move(HOUR_MS);
      const { verdict: given, checks } = await explained(licenseKey);
      assert.deepEqual(inBrief(given), ['reinstalled', 'remedy', { limit: 2, used: 2, idleDays: 2 }]);
      const [first, second] = checkIn({ checks }, '/activate').remedies;
      assert.deepEqual([first.action, first.fields.machineFingerprint], ['release_activation', 'before']);
      assert.equal(second.fields.machineFingerprint, 'other');
    });

    it('new_computer for a refused machine whose namesake is in use', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await activate(licenseKey, 'one', 'localhost');
      assert.equal(await activate(licenseKey, 'two', 'localhost'), 'machine_limit');
      app.clock.move(HOUR_MS);
      await activate(licenseKey, 'one', 'localhost');
      assert.equal((await verdict(licenseKey, { machineFingerprint: 'two' })).code, 'new_computer');
    });

    it('shared from the fifth different machine that is refused in a day, until its violation is resolved', async () => {
      const licenseKey = await crowded(4, { email: 'sharing@example.com' });
      assert.equal((await verdict(licenseKey)).code, 'new_computer');
      app.clock.move(HOUR_MS);
      await activate(licenseKey, 'stranger 4', 'HOST 3');
      const given = await verdict(licenseKey);
      const evidence = { machines: 5, names: 4, withinHours: 2, refusals: 5, limit: 1, used: 1 };
      assert.deepEqual(inBrief(given), ['shared', 'review', evidence]);
      assert.equal(
        given.sentence,
        '5 different machines without a slot were refused within 2 hours; the license is for 1 machine.',
      );
      // Also for the machine that has a slot, after the expiry, and weeks later.
      assert.equal((await verdict(licenseKey, { machineFingerprint: 'own' })).code, 'shared');
      await mustSucceed(app.admin('/updateLicense', { licenseKey, expiresAt: app.clock.at(DAY_MS) }));
      app.clock.move(20 * DAY_MS);
      assert.equal((await verdict(licenseKey)).code, 'shared');
      const { violations } = await mustSucceed(app.admin('/listViolations', { licenseKey }));
      const violationIds = violations.map(({ id }: Answer['body']) => id);
      await mustSucceed(app.admin('/resolveLicense', { licenseKey, violationIds }));
      assert.equal((await verdict(licenseKey)).code, 'expired');
    });

    it('shared with a doubt where all refused machines have one name', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      for (let index = 0; index < 6; index++) await activate(licenseKey, `print ${index}`, 'build-agent');
      const { code, evidence, sentence } = await verdict(licenseKey);
      assert.deepEqual([code, evidence.names], ['shared', 1]);
      assert.match(sentence, /All of them have one name, so it may be one computer that looks new each time\.$/);
    });

    it('not shared while fewer machines were refused than the license has slots', async () => {
      const licenseKey = await app.license({ maxMachines: 5 });
      for (let index = 0; index < 10; index++) await activate(licenseKey, `machine ${index}`, `host ${index}`);
      assert.equal((await verdict(licenseKey)).code, 'new_computer');
      await activate(licenseKey, 'machine 10', 'host 10');
      // Repeats are stored once a minute.
      app.clock.move(HOUR_MS);
      await activate(licenseKey, 'machine 10', 'host 10');
      assert.equal((await verdict(licenseKey)).code, 'shared');
    });

    it('the reason of the revocation, before everything else, with the first step to decline or to review', async () => {
      for (const [reason, code, firstStep] of [
        ['refund', 'refunded', 'decline'],
        ['chargeback', 'charged_back', 'decline'],
        ['fraud', 'fraud_reported', 'review'],
      ]) {
        const licenseKey = await crowded(5);
        await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason }));
        app.clock.move(3 * DAY_MS);
        const given = await verdict(licenseKey);
        assert.deepEqual(inBrief(given), [code, firstStep, { reports: 1, daysSince: 3 }]);
        assert.match(given.sentence, / 3 days ago\.$/);
      }
      const licenseKey = await app.license();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      assert.deepEqual(inBrief(await verdict(licenseKey)), ['revoked', 'review', {}]);
    });

    it('expired, or other_license where the customer has another active license for the product', async () => {
      const email = 'renewing@example.com';
      const licenseKey = await app.license({ email, expiresAt: app.clock.at(DAY_MS) });
      await app.license({ email, productId: 'another' });
      await app.license({ email, expiresAt: app.clock.at(2 * DAY_MS) });
      app.clock.move(4 * DAY_MS);
      const alone = ['expired', 'decline', { daysSince: 3, otherLicenses: 0 }];
      assert.deepEqual(inBrief(await verdict(licenseKey)), alone);
      await app.license({ email: 'Renewing@Example.com' });
      const renewed = ['other_license', 'reply', { daysSince: 3, otherLicenses: 1 }];
      assert.deepEqual(inBrief(await verdict(licenseKey)), renewed);
    });

    it('names the newest license of the customer for the product that works, where the explained one does not', async () => {
      const email = 'several@example.com';
      const licenseKey = await app.license({ email });
      const otherOf = async (key: string) => (await explained(key)).otherKey;
      await app.license({ email, productId: 'another' });
      await app.license({ email: 'somebody@example.com' });
      assert.equal(await otherOf(licenseKey), null);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      assert.equal(await otherOf(licenseKey), null);
      await app.license({ email });
      app.clock.move(1000);
      const newest = await app.license({ email: 'Several@Example.com' });
      assert.deepEqual([await otherOf(licenseKey), await otherOf(newest)], [newest, null]);
      const replaced = await app.license({ email, productId: 'replaced' });
      const successor = (await mustSucceed(app.admin('/replaceLicense', { licenseKey: replaced }))).licenseKey;
      assert.equal(await otherOf(replaced), successor);
    });

    it('attempts_used_up, and says that the machine runs where it has a slot', async () => {
      const licenseKey = await app.license();
      for (let attempt = 0; attempt < 17; attempt++) await new Machine(app, licenseKey, 'looping').activate();
      const { verdict: given, checks } = await explained(licenseKey);
      assert.deepEqual(inBrief(given), ['attempts_used_up', 'remedy', { attempts: 15, machines: 1 }]);
      assert.match(given.sentence, /^The machine has a slot and runs; only another activation is refused\. /);
      assert.deepEqual(actionsOf(checkIn({ checks }, '/activate')), ['wait', 'lift_activation_limit']);
      const other = await verdict(licenseKey, { machineFingerprint: 'other' });
      assert.match(other.sentence, /^Activation was tried 15 times within the last hour\. /);
    });

    it('wrong_product for the product of the request, and for that of the last refusal within a day', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey, 'm').activated();
      assert.deepEqual(inBrief(await verdict(licenseKey, { productId: 'sketch' })), ['wrong_product', 'decline', {}]);
      assert.equal((await verdict(licenseKey)).code, 'works');
      machine.productId = 'sketch';
      await machine.verify();
      await machine.verify();
      await historyWithRefusals(app, licenseKey, 2);
      const refused = await verdict(licenseKey);
      assert.deepEqual([refused.code, refused.evidence], ['wrong_product', { refusals: 2 }]);
      assert.equal(refused.sentence, 'An app asked for "sketch", and the license is for "app".');
      app.clock.move(DAY_MS);
      assert.equal((await verdict(licenseKey)).code, 'works');
    });

    it('seats_in_use for a floating license, and activate_again for a token that has expired', async () => {
      const floating = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      await new Machine(app, floating, 'a').activated();
      const given = await verdict(floating, { machineFingerprint: 'b' });
      assert.deepEqual(inBrief(given), ['seats_in_use', 'reply', { limit: 1, used: 1 }]);
      assert.equal(
        given.sentence,
        'The one seat is in use by running apps. "host of a" was idle longest: seen just now.',
      );
      const licenseKey = await app.license();
      await new Machine(app, licenseKey, 'a').activated();
      app.clock.move(31 * DAY_MS);
      assert.deepEqual(inBrief(await verdict(licenseKey)), ['activate_again', 'reply', { idleDays: 31 }]);
    });

    it('build_not_covered and feature_not_included for an app that asks for more than the terms of its license', async () => {
      const licenseKey = await app.license({ maxVersion: '2' });
      await new Machine(app, licenseKey, 'a').activated();
      assert.deepEqual(inBrief(await verdict(licenseKey, { version: '3' })), ['build_not_covered', 'reply', {}]);
      assert.equal((await verdict(licenseKey, { version: '2.9' })).code, 'works');
      await app.send('/verify', { licenseKey, productId: 'app', features: ['export'] });
      await historyWithRefusals(app, licenseKey, 1);
      assert.deepEqual(inBrief(await verdict(licenseKey)), ['feature_not_included', 'reply', {}]);
      assert.equal((await verdict(licenseKey, { version: '2.9' })).code, 'works');
    });

    it('no_user, no_seat and user_has_machines where the license is for named users', async () => {
      const licenseKey = await app.license({ maxMachines: -1, maxUsers: 1, maxMachinesPerUser: 1 });
      await activatedBy(app, licenseKey, 'Ada', 'a');
      const at = { machineFingerprint: 'b' };
      assert.deepEqual(inBrief(await verdict(licenseKey, at)), ['no_user', 'reply', {}]);
      assert.deepEqual(inBrief(await verdict(licenseKey, { ...at, user: 'Bo' })), ['no_seat', 'reply', {}]);
      const full = ['user_has_machines', 'reply', { limit: 1, used: 1 }];
      assert.deepEqual(inBrief(await verdict(licenseKey, { ...at, user: 'ada' })), full);
    });

    it('replaced for a key in whose place another one is', async () => {
      const licenseKey = await app.license();
      await new Machine(app, licenseKey, 'a').activated();
      await mustSucceed(app.admin('/replaceLicense', { licenseKey }));
      const { verdict: given, checks } = await explained(licenseKey);
      assert.deepEqual(inBrief(given), ['replaced', 'reply', {}]);
      const { outcome, because, remedies } = checkIn({ checks }, '/verify');
      assert.deepEqual([outcome, because, remedies], ['license_replaced', { revocation: 'replaced' }, []]);
    });

    it('usage_used_up for an app that used all units of a meter', async () => {
      await mustSucceed(app.admin('/createProduct', { name: 'Metered', slug: 'metered', creatorId: 'ada' }));
      const meters = { exports: { limit: 0, period: 'none' } };
      await mustSucceed(app.admin('/createVariant', { productId: 'metered', name: 'none', meters }));
      const licenseKey = await app.license({ productId: 'metered', variant: 'none' });
      await new Machine(app, licenseKey, 'a', 'metered').activated();
      assert.deepEqual(inBrief(await verdict(licenseKey)), ['usage_used_up', 'reply', {}]);
    });

    it('never a remedy that lets in more than the license is for', async () => {
      // Freeing one of three does not make room for one, so the first remedy raises the limit.
      const licenseKey = await app.license({ maxMachines: 3 });
      for (const name of ['a', 'b', 'c']) await new Machine(app, licenseKey, name).activated();
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxMachines: 1 }));
      app.clock.move(40 * DAY_MS);
      const { verdict: given, checks } = await explain(app, { licenseKey, machineFingerprint: 'new' });
      assert.equal(actionsOf(checkIn({ checks }, '/activate'))[0], 'raise_limit');
      assert.deepEqual([given.code, given.firstStep], ['dead_machine', 'reply']);
    });

    it('one of a closed list, of which all were seen here', () => {
      assert.deepEqual([...seen].sort(), [...VERDICTS].sort());
    });
  });
