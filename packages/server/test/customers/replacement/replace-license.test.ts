/** New keys in place of others, through the real service on both engines. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { Machine } from '../../support/machine.ts';
import { MailServer } from '../../support/mail-server.ts';
import { rowsOf } from '../../support/own-connection.ts';

const BOUNDS = { mailSender: { lookMs: 20, unreachedMs: 0, restMs: 20 } };
const REPLACED = 'License was replaced by another key';

for (const engine of engines)
  describe(`replaced keys on ${engine}`, () => {
    let server: MailServer;
    let app: TestApp;
    before(async () => {
      server = await MailServer.start();
      app = await startApp(engine, server.environment, undefined, BOUNDS);
      await mustSucceed(app.admin('/createProduct', { name: 'Paint', slug: 'paint', creatorId: 'studio' }));
    });
    after(async () => {
      await app?.stop();
      await server?.close();
    });

    const replaced = async (licenseKey: string, fields = {}): Promise<string> =>
      (await mustSucceed(app.admin('/replaceLicense', { licenseKey, ...fields }))).licenseKey;
    const stored = (licenseKey: string) => mustSucceed(app.admin('/getLicense', { licenseKey, history: true }));
    const moved = (machine: Machine, fields = {}) =>
      app.send('/validate', {
        ...{ licenseKey: machine.licenseKey, machineFingerprint: machine.fingerprint, token: machine.token },
        ...{ acceptsReplacement: true, ...fields },
      });

    it('gives a license another key, and each of the two names the other', async () => {
      const terms = { maxMachines: 3, updatesUntil: app.clock.at(90 * DAY_MS), metadata: { crm: 'A-1' } };
      const licenseKey = await app.license({ ...terms, expiresAt: app.clock.at(60 * DAY_MS), purchaseId: 'one' });
      const before = (await stored(licenseKey)).license;
      app.clock.move(DAY_MS);
      const answer = await mustSucceed(app.admin('/replaceLicense', { licenseKey, reason: 'It stood in a forum.' }));
      const newKey = answer.licenseKey;
      assert.deepEqual(answer, { success: true, licenseKey: newKey, replacedKey: licenseKey });
      assert.match(newKey, /^[A-Z2-9]{5}(-[A-Z2-9]{5}){4}$/);
      const { license: old, history } = await stored(licenseKey);
      assert.deepEqual(old, { ...before, status: 'revoked', replacedBy: newKey });
      const { license, history: fresh } = await stored(newKey);
      assert.deepEqual(license, { ...before, key: newKey, replaces: licenseKey });
      const mask = (key: string) => `${key.slice(0, 5)}…${key.slice(-5)}`;
      assert.deepEqual(history[0].event.after, {
        ...{ status: 'revoked', revocation: 'replaced' },
        ...{ replacedBy: mask(newKey), text: 'It stood in a forum.' },
      });
      assert.equal(history[0].event.type, 'license.replaced');
      assert.deepEqual(
        fresh.map(({ event }: { event: { type: string } }) => event.type),
        ['license.replaced'],
      );
      assert.equal(fresh[0].event.after.replaces, mask(licenseKey));
      assert.equal(fresh[0].event.after.maxMachines, 3);
      const facts = [...history, ...fresh].map(({ event }) => [event.before, event.after]);
      assert.ok(!JSON.stringify(facts).includes(newKey) && !JSON.stringify(facts).includes(licenseKey));
    });

    it('takes machines, users, uses, files and notes to the new key, and leaves violations with the old one', async () => {
      const productId = 'whole';
      await mustSucceed(app.admin('/createProduct', { name: 'Whole', slug: productId, creatorId: 'studio' }));
      const meters = { exports: { limit: 10, period: 'month' } };
      await mustSucceed(app.admin('/createVariant', { productId, name: 'pro', meters }));
      const licenseKey = await app.license({ productId, variant: 'pro', maxMachines: 1, maxUsers: 2 });
      const call = { licenseKey, machineFingerprint: 'studio', hostname: 'Studio', productId };
      const { token } = await mustSucceed(app.send('/activate', { ...call, user: 'bo@example.com' }));
      const use = { licenseKey, machineFingerprint: 'studio', token, meter: 'exports', units: 3, requestId: 'one' };
      await mustSucceed(app.send('/consume', use));
      await mustSucceed(app.admin('/addNote', { licenseKey, text: 'Ada called.' }));
      const other = { ...call, machineFingerprint: 'other', user: 'cy@example.com' };
      assert.equal((await app.send('/activate', other)).status, 403);
      const newKey = await replaced(licenseKey);
      const old = await stored(licenseKey);
      assert.deepEqual([old.activations, old.activationCount, old.violations.length], [[], 0, 1]);
      const fresh = await stored(newKey);
      assert.deepEqual([fresh.activationCount, fresh.violations, fresh.license.threatLevel], [1, [], 0]);
      assert.equal(fresh.activations[0].fingerprint, 'studio');
      assert.equal(fresh.usage[0].used, 3);
      const note = fresh.history.find(({ kind }: { kind: string }) => kind === 'note');
      assert.equal(note.event.after.text, 'Ada called.');
      const { users } = await mustSucceed(app.admin('/listUsers', { licenseKey: newKey }));
      assert.deepEqual(
        users.map(({ user }: { user: string }) => user),
        ['bo@example.com'],
      );
      // A repeat of the counted request with the new key counts once.
      const machine = await mustSucceed(
        app.send('/validate', { licenseKey, machineFingerprint: 'studio', token, acceptsReplacement: true }),
      );
      const again = { ...use, licenseKey: newKey, token: machine.sessionToken };
      assert.equal((await mustSucceed(app.send('/consume', again))).used, 3);
    });

    it('refuses the old key everywhere, and lets a machine go on that shows its token and accepts the new key', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      const machine = await new Machine(app, licenseKey).activated();
      const newKey = await replaced(licenseKey);
      for (const answer of [
        await machine.verify(),
        await machine.validate(),
        await machine.heartbeat(),
        await machine.deactivate(),
        await machine.activate(),
        await new Machine(app, licenseKey, 'another').activate(),
      ]) {
        assert.deepEqual([answer.status, answer.body.error], [403, REPLACED]);
        assert.equal(answer.headers['latchkey-code'], 'license_replaced');
        assert.ok(!JSON.stringify(answer.body).includes(newKey));
      }
      const answer = await mustSucceed(moved(machine));
      assert.deepEqual([answer.valid, answer.licenseKey, answer.newToken], [true, newKey, undefined]);
      const same = new Machine(app, newKey, machine.fingerprint);
      same.token = answer.sessionToken;
      assert.equal((await same.validate()).status, 200);
      // Once more with the old token: an app that lost the answer asks again.
      assert.equal((await mustSucceed(moved(machine))).licenseKey, newKey);
      const history = await historyWithRefusals(app, licenseKey, 6);
      assert.ok(history.some(({ refusal }) => refusal?.code === 'license_replaced'));
    });

    it('never tells the new key to somebody without the token of a machine that moved', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      const machine = await new Machine(app, licenseKey).activated();
      const released = await new Machine(app, licenseKey, 'released').activated();
      await mustSucceed(app.admin('/releaseActivation', { licenseKey, machineFingerprint: 'released' }));
      const foreign = await new Machine(app, await app.license(), machine.fingerprint).activated();
      const newKey = await replaced(licenseKey);
      for (const [token, status, error] of [
        ['', 400, 'Missing required fields'],
        ['nonsense', 401, 'Invalid or expired token'],
        [foreign.token, 401, 'Token mismatch'],
        [released.token, 401, 'Token mismatch'],
      ] as const) {
        const answer = await moved(machine, { token });
        assert.deepEqual([answer.status, answer.body.error], [status, error]);
        assert.ok(!JSON.stringify([answer.body, answer.headers]).includes(newKey));
      }
      const gone = await moved(released);
      assert.deepEqual([gone.status, gone.body.error], [403, 'Machine not activated']);
      assert.ok(!JSON.stringify([gone.body, gone.headers]).includes(newKey));
      // Tokens that strangers show with the old key are no misuse of the new one.
      assert.deepEqual((await stored(newKey)).violations, []);
    });

    it('leads along several replacements, and to nothing once the last key is revoked', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      const last = await replaced(await replaced(licenseKey));
      assert.equal((await mustSucceed(moved(machine))).licenseKey, last);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: last }));
      const answer = await moved(machine);
      assert.deepEqual([answer.status, answer.body.error], [403, 'License has been revoked']);
    });

    it('changes a replaced license no more and names the new key to those who may see it', async () => {
      const licenseKey = await app.license();
      const newKey = await replaced(licenseKey);
      for (const [path, fields] of [
        ['/replaceLicense', {}],
        ['/reinstateLicense', {}],
        ['/revokeLicense', { reason: 'fraud' }],
        ['/updateLicense', { status: 'active' }],
      ] as const) {
        const answer = await app.admin(path, { licenseKey, ...fields });
        assert.deepEqual([answer.status, answer.body.replacedBy], [409, newKey]);
      }
      const creator = await Creator.of(app);
      const foreign = await creator.send('/replaceLicense', { licenseKey });
      assert.deepEqual([foreign.status, foreign.body.replacedBy], [404, undefined]);
      assert.equal((await stored(newKey)).license.status, 'active');
    });

    it('takes the former keys along to another address, so that forgetting the new one leaves neither', async () => {
      const [former, email] = ['former-key@example.com', 'new-address@example.com'];
      const first = await app.license({ email: former });
      const last = await replaced(await replaced(first));
      const { changed } = await mustSucceed(app.admin('/changeEmail', { licenseKey: last, newEmail: email }));
      assert.equal(changed, 3);
      assert.equal((await stored(first)).license.email, email);
      const forgotten = await mustSucceed(app.admin('/forgetCustomer', { email }));
      assert.equal(forgotten.replaced.licenses, 3);
      await mustSucceed(app.admin('/forgetCustomer', { email: former }));
      const rows = JSON.stringify([
        await rowsOf(app.database, 'select * from license'),
        await rowsOf(app.database, 'select * from event'),
      ]);
      assert.ok(!rows.includes(former) && !rows.includes(email));
    });

    it('deletes a note on the new key together with those that it was copied from, and no other', async () => {
      const first = await app.license();
      for (const text of ['Delete me.', 'Keep me.'])
        await mustSucceed(app.admin('/addNote', { licenseKey: first, text }));
      const second = await replaced(first);
      const last = await replaced(second);
      const notesOf = async (licenseKey: string) =>
        (
          (await stored(licenseKey)).history as readonly {
            kind: string;
            event: { id: string; after: { text: string } | null };
          }[]
        )
          .filter(({ kind }) => kind === 'note')
          .map(({ event }) => ({ noteId: event.id, text: event.after?.text ?? null }));
      const { noteId } = (await notesOf(last)).find(({ text }) => text === 'Delete me.') ?? assert.fail();
      await mustSucceed(app.admin('/deleteNote', { licenseKey: last, noteId }));
      for (const licenseKey of [first, second, last])
        assert.deepEqual((await notesOf(licenseKey)).map(({ text }) => text).toSorted(), ['Keep me.', null]);
      assert.deepEqual(
        await rowsOf(app.database, "select event_id from event where after_facts like '%Delete me.%'"),
        [],
      );
    });

    it('leaves the notes of the operator to the operator, also on a key that a creator replaced', async () => {
      const creator = await Creator.of(app);
      const licenseKey = await creator.license(await creator.product());
      await mustSucceed(app.admin('/addNote', { licenseKey, text: 'Evidence.' }));
      const newKey = (await mustSucceed(creator.send('/replaceLicense', { licenseKey }))).licenseKey;
      const note = (await stored(newKey)).history.find(({ kind }: { kind: string }) => kind === 'note');
      const { status, body } = await creator.send('/deleteNote', { licenseKey: newKey, noteId: note.event.id });
      assert.deepEqual([status, body.error], [404, 'Note not found']);
    });

    it('replaces no revoked license', async () => {
      const licenseKey = await app.license();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      const answer = await app.admin('/replaceLicense', { licenseKey });
      assert.deepEqual([answer.status, answer.body.error], [409, 'License is revoked, so its key cannot be replaced']);
    });

    it('lets refunds, renewals and repeated deliveries of the purchase reach the new key', async () => {
      const bound = { email: 'ada@example.com', productId: 'paint', durationDays: 10 };
      const sale = { ...bound, purchaseId: 'sale-1', eventId: 'event-1' };
      const bought = await mustSucceed(app.webhook('/storefrontWebhook', { type: 'purchase.completed', ...sale }));
      const later = { ...sale, purchaseId: 'sale-2', eventId: 'event-2', lineId: 'a', quantity: 2 };
      const units = await mustSucceed(app.webhook('/storefrontWebhook', { type: 'purchase.completed', ...later }));
      const newKey = await replaced(bought.licenseKey);
      const [first, second] = units.licenseKeys;
      const newFirst = await replaced(first);
      const repeated = await mustSucceed(app.webhook('/storefrontWebhook', { type: 'purchase.completed', ...sale }));
      assert.deepEqual([repeated.licenseKey, repeated.duplicate], [newKey, true]);
      const anew = { ...sale, eventId: 'event-3' };
      assert.equal(
        (await mustSucceed(app.webhook('/storefrontWebhook', { type: 'purchase.completed', ...anew }))).licenseKey,
        newKey,
      );
      const renewal = { type: 'subscription.renewed', ...sale, eventId: 'event-4', durationDays: 30 };
      await mustSucceed(app.webhook('/storefrontWebhook', renewal));
      const { license: old } = await stored(bought.licenseKey);
      assert.ok((await stored(newKey)).license.expiresAt > old.expiresAt);
      await mustSucceed(app.webhook('/storefrontWebhook', { type: 'purchase.refunded', ...sale, eventId: 'event-5' }));
      assert.equal((await stored(newKey)).license.disputeReason, 'refund');
      assert.equal((await stored(bought.licenseKey)).license.disputeReason, null);
      const { quantity: _, ...line } = later;
      await mustSucceed(app.webhook('/storefrontWebhook', { type: 'purchase.refunded', ...line, eventId: 'event-6' }));
      for (const key of [newFirst, second]) assert.equal((await stored(key)).license.disputeReason, 'refund');
    });

    it('renews the new key of the newest license of a customer where the shop names no purchase', async () => {
      const email = 'newest@example.com';
      const licenseKey = await app.license({ email, productId: 'paint', expiresAt: app.clock.at(DAY_MS) });
      const newKey = await replaced(licenseKey);
      const renewal = { type: 'subscription.renewed', email, productId: 'paint', durationDays: 30 };
      const answer = await mustSucceed(app.webhook('/storefrontWebhook', renewal));
      assert.equal(answer.licenseKey, newKey);
    });

    it('mails the new key, also in place of an e-mail with the old one that waits', async () => {
      const email = 'post@example.com';
      const licenseKey = await app.license({ email, productId: 'paint' });
      server.received.length = 0;
      const answer = await mustSucceed(app.admin('/replaceLicense', { licenseKey, mail: true, language: 'de' }));
      assert.equal(answer.mailed, true);
      const [received] = await server.hasReceived(1);
      const text = received?.mail.text ?? '';
      assert.ok(text.includes(answer.licenseKey) && !text.includes(licenseKey), text);
      assert.match(text, /Ihre Lizenz hat einen neuen Schlüssel/);
      // The limit refuses before anything changes.
      const other = await app.license({ email, productId: 'paint' });
      for (let round = 0; round < 2; round++) await mustSucceed(app.admin('/mailLicense', { licenseKey: other }));
      const beyond = await app.admin('/replaceLicense', { licenseKey: other, mail: true });
      assert.equal(beyond.status, 429);
      assert.equal((await stored(other)).license.status, 'active');
    });

    it('ends with one successor however many ask at once', async () => {
      const licenseKey = await app.license();
      await fillPool(app);
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.admin('/replaceLicense', { licenseKey })));
      const [made, ...others] = answers.filter(({ status }) => status === 200);
      assert.deepEqual(others, []);
      for (const { status, body } of answers)
        if (status !== 200) assert.deepEqual([status, body.replacedBy], [409, made?.body.licenseKey]);
      const successors = await rowsOf(app.database, `select license_key from license where replaces = '${licenseKey}'`);
      assert.equal(successors.length, 1);
    });

    it('lets machines up to the limit in, also while the key is replaced', async () => {
      for (let round = 0; round < 5; round++) {
        const limit = 4;
        const licenseKey = await app.license({ maxMachines: limit });
        const machines = Array.from({ length: 8 }, (_, index) => new Machine(app, licenseKey, `machine ${index}`));
        await fillPool(app);
        const [answer] = await Promise.all([
          app.admin('/replaceLicense', { licenseKey }),
          ...machines.map((machine) => machine.activate()),
        ]);
        const newKey = answer.body.licenseKey;
        const late = Array.from({ length: 8 }, (_, index) => new Machine(app, newKey, `late machine ${index}`));
        await Promise.all(late.map((machine) => machine.activate()));
        const goOn = await Promise.all([
          ...machines.filter(({ token }) => token !== '').map((machine) => moved(machine)),
          ...late.filter(({ token }) => token !== '').map((machine) => machine.validate()),
        ]);
        assert.equal(goOn.filter(({ status }) => status === 200).length, limit);
        assert.equal((await stored(newKey)).activationCount, limit);
        assert.equal((await stored(licenseKey)).activationCount, 0);
      }
    });

    it('lets a refund that comes at the same time revoke the license that is in force', async () => {
      for (let round = 0; round < 5; round++) {
        const purchaseId = `race-${round}`;
        const sale = { email: 'ada@example.com', productId: 'paint', purchaseId };
        const { licenseKey } = await mustSucceed(
          app.webhook('/storefrontWebhook', { type: 'purchase.completed', ...sale }),
        );
        await fillPool(app);
        const [answer] = await Promise.all([
          app.admin('/replaceLicense', { licenseKey }),
          app.webhook('/storefrontWebhook', { type: 'purchase.refunded', ...sale }),
        ]);
        const inForce = answer.status === 200 ? answer.body.licenseKey : licenseKey;
        assert.equal((await stored(inForce)).license.disputeReason, 'refund');
      }
    });

    it('keeps the seats of a floating license: the session goes on under the new key', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1, maxMachines: 5 });
      const machine = await new Machine(app, licenseKey).activated();
      const newKey = await replaced(licenseKey);
      const waiting = new Machine(app, newKey, 'waiting');
      assert.equal((await waiting.activate()).status, 403);
      const answer = await mustSucceed(moved(machine));
      assert.equal(answer.licenseType, 'floating');
      const same = new Machine(app, newKey, machine.fingerprint);
      same.token = answer.sessionToken;
      assert.equal((await same.heartbeat()).status, 200);
      const { pools } = await mustSucceed(app.admin('/listLiveSessions', {}));
      assert.ok(JSON.stringify(pools).includes(newKey) && !JSON.stringify(pools).includes(licenseKey));
    });

    it('moves a trial without a key: the machine starts it under the new key', async () => {
      const productId = 'trying';
      await mustSucceed(app.admin('/createProduct', { name: 'Trying', slug: productId, creatorId: 'studio' }));
      const offer = { maxMachines: 1, defaultTrialDays: 14, trialWithoutKey: true };
      await mustSucceed(app.admin('/createVariant', { productId, name: 'try', ...offer }));
      const start = { productId, machineFingerprint: 'm', hostname: 'M' };
      const { licenseKey } = await mustSucceed(app.send('/startTrial', start));
      const newKey = await replaced(licenseKey);
      assert.equal((await mustSucceed(app.send('/startTrial', start))).licenseKey, newKey);
    });
  });
