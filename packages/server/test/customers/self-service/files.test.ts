/** License files that customers make for computers without a connection, within a budget (rules 13.6). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formToken } from '../../../src/customers/self-service/pages/cookies.ts';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { requestOf } from '../../licensing/license-files/offline-request.ts';
import type { Answer } from '../../support/app.ts';
import { signIn } from '../../support/console.ts';
import { mustSucceed } from '../../support/creator.ts';
import { type Answered, openRules, type Rules } from '../../support/customers.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { CustomerBrowser, OWN_FORM } from './customer-browser.ts';
import { makeMover, SELF_SERVICE } from './shop.ts';

/** The request of an app on a computer with this name. */
const offlineRequest = ({ licenseKey, name, ...changes }: { licenseKey: string; name: string }) =>
  requestOf({ licenseKey, fingerprint: `fp ${name}`, hostname: name, ...changes });

for (const engine of engines)
  describe(`a customer's license files on ${engine}`, () => {
    let rules: Rules;
    before(async () => {
      rules = await openRules(engine);
    });
    after(() => rules.close());

    async function customer(email: string, order: object) {
      const { licenseKey } = await rules.admin('/createLicense', { email, productId: 'app', ...order });
      const signIn = async () => {
        const session = await rules.signIn(email);
        const { licenses } = await rules.my('listMyLicenses', { session });
        return { session, license: licenses[0].ref as string };
      };
      const file = async (name: string, changes: object = {}): Promise<Answered> =>
        rules.my('makeMyFile', { ...(await signIn()), request: offlineRequest({ licenseKey, name, ...changes }) });
      return { licenseKey, signIn, file };
    }

    it('are made from the request of an app, and recorded without a name', async () => {
      const { licenseKey, file } = await customer('file1@example.com', { maxMachines: 1 });
      const made = await file('island');
      assert.match(made.file, /^-----BEGIN LATCHKEY LICENSE-----\n/);
      assert.equal(made.deviceName, 'island');
      assert.equal(Date.parse(made.expiresAt) <= rules.clock.now() + 365 * DAY_MS, true);
      const { events } = await rules.admin('/listEvents', { licenseKey, types: ['license_file.issued'] });
      assert.deepEqual(events[0].actor, { kind: 'customer', id: null, keyName: null });
    });

    it('are asked for first: the question names the device, the last day and what it costs, and makes nothing', async () => {
      const { licenseKey, signIn, file } = await customer('file8@example.com', { maxMachines: 2 });
      const question = async (name: string, changes: object = {}): Promise<Answered> =>
        rules.my('askForMyFile', { ...(await signIn()), request: offlineRequest({ licenseKey, name, ...changes }) });
      const first = await question('island');
      const whole = Math.floor(rules.clock.now() / 1000) * 1000;
      const expiresAt = new Date(whole + 365 * DAY_MS).toISOString();
      const expected = { deviceName: 'island', expiresAt, takesPlace: true, counts: true, of: 2, left: 2 };
      assert.deepEqual(first, expected);
      assert.equal((await rules.admin('/getLicense', { licenseKey })).activationCount, 0);
      assert.equal((await file('island')).expiresAt, expiresAt);
      const again = await question('island');
      assert.deepEqual([again.takesPlace, again.counts, again.left], [false, false, 1]);
      const fields = { licenseKey, productId: 'app', machineFingerprint: 'online', hostname: 'online' };
      assert.equal((await rules.call('/activate', fields)).refused, undefined);
      assert.equal((await question('lake')).refused, 'machine_limit');
      assert.deepEqual(await question('lake', { productId: 'else' }), { refused: 'wrong_product' });
      assert.deepEqual(await question('lake', { v: 2 }), { refused: 'file_request_not_accepted' });
      await rules.admin('/releaseActivation', { licenseKey, machineFingerprint: 'online' });
      assert.equal((await file('lake')).refused, undefined);
      await rules.admin('/releaseActivation', { licenseKey, machineFingerprint: 'fp lake' });
      assert.equal((await question('sea')).refused, 'file_budget_spent');
      await rules.admin('/revokeLicense', { licenseKey });
      assert.equal((await question('island')).refused, 'license_revoked');
    });

    it('make a device that works without a connection, which is not said to run now', async () => {
      for (const type of [{}, { licenseType: 'floating', maxConcurrent: 2 }]) {
        const email = `file9${Object.keys(type).length}@example.com`;
        const { licenseKey, signIn, file } = await customer(email, { maxMachines: 2, ...type });
        const shown = async () => (await rules.my('getMyLicense', await signIn())).devices[0];
        const made = await file('island');
        const device = await shown();
        assert.deepEqual([device.running, device.fileUntil, device.release], [false, made.expiresAt, 'has_file']);
        // An app that has a connection after all runs.
        rules.clock.move(10_000);
        const fields = { licenseKey, productId: 'app', machineFingerprint: 'fp island', hostname: 'island' };
        assert.equal((await rules.call('/activate', fields)).refused, undefined);
        assert.equal((await shown()).running, true);
        rules.clock.move(2 * HOUR_MS);
        assert.equal((await shown()).running, false);
      }
    });

    it('are bounded by the places of the license, however the computers are freed in between', async () => {
      const { licenseKey, file, signIn } = await customer('file2@example.com', { maxMachines: 1 });
      const first = rules.clock.now();
      assert.equal((await file('first')).refused, undefined);
      assert.equal((await file('first')).refused, undefined, 'another file for the same computer');
      rules.clock.move(2 * HOUR_MS);
      const at = await signIn();
      const { devices } = await rules.my('getMyLicense', at);
      assert.equal(devices[0].release, 'has_file');
      const released = await rules.my('releaseMyDevice', { ...at, device: devices[0].ref });
      assert.deepEqual(released, { refused: 'device_has_file' });
      rules.clock.move(40 * DAY_MS);
      const later = await signIn();
      const again = await rules.my('releaseMyDevice', { ...later, device: devices[0].ref });
      assert.deepEqual(again, { refused: 'device_has_file' }, 'a device with a file is not free after 30 days either');
      await rules.admin('/releaseActivation', { licenseKey, machineFingerprint: 'fp first' });
      const refused = await file('second');
      assert.equal(refused.refused, 'file_budget_spent');
      // Files are issued at whole seconds.
      assert.ok(Date.parse(refused.nextAt) > first + 365 * DAY_MS - 1000);
      rules.clock.move(Date.parse(refused.nextAt) - rules.clock.now());
      assert.equal((await file('second')).refused, undefined);
    });

    it('count for a year from their date, even if a clock that was ahead wrote it', async () => {
      const { licenseKey, file } = await customer('file5@example.com', { maxMachines: 1 });
      const ahead = 200 * DAY_MS;
      rules.clock.move(ahead);
      const dated = rules.clock.now();
      assert.equal((await file('first')).refused, undefined);
      rules.clock.move(-ahead);
      await rules.admin('/releaseActivation', { licenseKey, machineFingerprint: 'fp first' });
      const refused = await file('second');
      assert.equal(refused.refused, 'file_budget_spent');
      // Files are issued at whole seconds.
      assert.ok(Date.parse(refused.nextAt) > dated + 365 * DAY_MS - 1000);
    });

    it('are refused for another license, for text that is no request, and where no place is free', async () => {
      const { file, licenseKey } = await customer('file4@example.com', { maxMachines: 1 });
      const other = await rules.admin('/createLicense', { email: 'other@example.com', productId: 'app' });
      const foreign = await file('a', { licenseKey: other.licenseKey });
      assert.deepEqual(foreign, { refused: 'file_request_not_accepted' });
      assert.deepEqual(await file('a', { v: 2 }), { refused: 'file_request_not_accepted' });
      assert.deepEqual(await file('a', { productId: 'else' }), { refused: 'wrong_product' });
      const fields = { licenseKey, productId: 'app', machineFingerprint: 'online', hostname: 'online' };
      assert.equal((await rules.call('/activate', fields)).refused, undefined);
      assert.equal((await file('a')).refused, 'machine_limit');
    });

    it('are refused for a license of somebody else as for one that does not exist', async () => {
      const owner = await customer('file6@example.com', {});
      const other = await customer('file7@example.com', {});
      const request = offlineRequest({ licenseKey: owner.licenseKey, name: 'island' });
      const { license } = await owner.signIn();
      const { session } = await other.signIn();
      for (const ref of [license, 'a'.repeat(license.length)])
        assert.deepEqual(await rules.my('makeMyFile', { session, license: ref, request }), { refused: 'license_gone' });
    });
  });

for (const engine of engines)
  describe(`a session that a link of staff began on ${engine}`, () => {
    const app = startedApp(engine, { ...SELF_SERVICE, LATCHKEY_SELF_SERVICE_FILES: 'on' });

    /** A customer whose link has this maker; `post` sends the form for a file, with the token of its session. */
    const signedInBy = async (make: (email: string) => Promise<Answer>) => {
      const { email, licenseKey } = await makeMover(app);
      const { url } = await mustSucceed(make(email));
      const browser = new CustomerBrowser(app);
      const licenses = await browser.submit(await browser.open(url), '/my/enter');
      const license = await browser.follow(licenses, '/my/license');
      const post = (path: string, form: string, request: string) => {
        const l = new URL(license.path, 'https://service.invalid').searchParams.get('l') ?? '';
        const t = formToken(browser.cookies.get('__Host-latchkey-my') ?? '', form);
        return browser.request('POST', path, String(new URLSearchParams({ l, t, request })), OWN_FORM);
      };
      // The slot belongs to "Old laptop".
      const request = requestOf({ licenseKey, fingerprint: 'f1', hostname: 'Old laptop' });
      return {
        ...{ browser, licenseKey, license },
        ask: () => post('/my/file', 'file', request),
        make: () => post('/my/make-file', 'make-file', request),
      };
    };

    it('makes no files, and the history names who made the link', async () => {
      const { operatorKey } = await mustSucceed(app.admin('/createOperatorKey', { name: 'Ada', role: 'support' }));
      const ada = await signIn(app, { secret: operatorKey });
      const own = await signedInBy((email) => app.webhook('/createCustomerLink', { email }));
      assert.match(own.license.body, /action="\/my\/file/);
      const question = await own.ask();
      assert.equal(question.status, 200);
      assert.match(question.body, /Get a file for “<bdi>Old laptop<\/bdi>”\?/);
      const filesOf = async (of: string) =>
        (await app.admin('/listLicenseFiles', { licenseKey: of })).body.files.length;
      assert.equal(await filesOf(own.licenseKey), 0, 'the question makes nothing');
      const made = await own.browser.submit(question, '/my/make-file');
      assert.equal(made.status, 200);
      const [, data = ''] = /href="data:application\/octet-stream;base64,([^"]*)"/.exec(made.body) ?? [];
      const file = Buffer.from(data, 'base64').toString();
      assert.match(file, /^-----BEGIN LATCHKEY LICENSE-----\n/);
      assert.ok(made.body.includes(`\n${file}</textarea>`), 'the file as text');
      assert.equal(await filesOf(own.licenseKey), 1);
      const { browser, licenseKey, license, ask, make } = await signedInBy((email) =>
        ada.call('/createCustomerLink', { email }),
      );
      assert.doesNotMatch(license.body, /action="\/my\/file/);
      assert.equal((await ask()).status, 403);
      assert.equal((await make()).status, 403);
      assert.equal(await filesOf(licenseKey), 0);
      await browser.submit(await browser.follow(license, '/my/release'), '/my/release');
      const [event] = (await app.admin('/listEvents', { licenseKey, types: ['activation.deleted'] })).body.events;
      assert.deepEqual(event.actor, { kind: 'customer', id: null, keyName: 'Ada' });
    });
  });

describe('license files of customers', () => {
  it('are refused unless the operator allows them', async () => {
    const rules = await openRules('sqlite', { makesFiles: false });
    const { licenseKey } = await rules.admin('/createLicense', { email: 'off@example.com', productId: 'app' });
    const session = await rules.signIn('off@example.com');
    const { licenses } = await rules.my('listMyLicenses', { session });
    const license = licenses[0].ref;
    assert.equal((await rules.my('getMyLicense', { session, license })).files, false);
    const fields = { session, license, request: offlineRequest({ licenseKey, name: 'a' }) };
    assert.deepEqual(await rules.my('makeMyFile', fields), { refused: 'customer_files_off' });
    await rules.close();
  });
});
