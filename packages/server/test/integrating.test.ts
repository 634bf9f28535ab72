import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type SampleState, sampleOfThePage } from '../../client/test/support/sample-of-the-page.ts';
import { rotateSigningKey } from '../src/licensing/license-files/signing-keys.ts';
import { adviceOf, publishedCodes } from '../src/platform/endpoint/refusals.ts';
import { expectedBy, readKeyList, readLicenseFile } from './licensing/license-files/reading.ts';
import { startApp, type TestApp } from './support/app.ts';
import { type Engine, engines } from './support/databases.ts';
import { startedWithStorage } from './support/started-app.ts';

const page = readFileSync(new URL('../../../docs/apps/integrating.md', import.meta.url), 'utf8');

const Licensing = await sampleOfThePage();

/** The signing keys as they are compiled into an app. */
async function compiledInto(app: TestApp) {
  const { issuer, publicKeys } = await expectedBy(app, { fingerprint: '', productId: '' });
  return { issuer, publicKeys };
}

/** An app on a machine, whose settings last as long as `kept`; the test can cut its network. */
async function appOn(app: TestApp, fingerprint: string, kept: { settings?: object } = {}) {
  const network = { isUp: true };
  const licensing = new Licensing({
    server: 'https://server',
    productId: 'app',
    ...(await compiledInto(app)),
    readLicenseFile,
    readKeyList,
    fingerprint,
    hostname: `host of ${fingerprint}`,
    store: { load: () => kept.settings, save: (settings: object) => (kept.settings = settings) },
    now: app.clock.now,
    fetch: async (url: string, { method = 'GET', body }: { method?: string; body?: string }) => {
      if (!network.isUp) throw new TypeError('fetch failed');
      const answer = await app.send(new URL(url).pathname, body, { method });
      // A server under test takes this header from the clock of the system.
      const date = new Date(app.clock.now()).toUTCString();
      return new Response(JSON.stringify(answer.body), {
        status: answer.status,
        headers: { ...(answer.headers as Record<string, string>), date },
      });
    },
  });
  return { licensing, network, kept };
}

/** The published keys of another service. */
async function startedElsewhere(engine: Engine): Promise<{ readonly keys: readonly string[] }> {
  const other = await startApp(engine);
  const { body } = await other.send('/.well-known/latchkey-keys.json', undefined, { method: 'GET' });
  await other.stop();
  return body;
}

const DAY_MS = 86_400_000;

describe('the page on integrating an app', () => {
  it('says for every code that an app can meet about its license what to do', () => {
    const [table = ''] = /\| Code \|[\s\S]*?\n\n/.exec(page) ?? [];
    for (const code of publishedCodes) {
      const { app } = adviceOf(code);
      if (app !== undefined && !app.startsWith('Keeps running as after its last good answer'))
        assert.ok(table.includes(`\`${code}\``), `${code} is not in the table`);
    }
  });
});

for (const engine of engines)
  describe(`the code of the page on integrating an app, on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    it('runs once a key is entered, and at each start from then on', async () => {
      const key = await app.license();
      const { licensing, kept } = await appOn(app, 'desk');
      assert.deepEqual(await licensing.validate(), { status: 'unlicensed', mayRun: false, code: 'no_key' });
      assert.equal((await licensing.activate(key)).mayRun, true);
      assert.equal((await (await appOn(app, 'desk', kept)).licensing.validate()).mayRun, true);
    });

    it('keeps the token that /validate renews, and the newest license file', async () => {
      const { licensing, network, kept } = await appOn(app, 'desk');
      await licensing.activate(await app.license());
      for (let week = 0; week < 10; week++) {
        app.clock.move(7 * DAY_MS);
        assert.equal((await licensing.validate()).mayRun, true);
      }
      network.isUp = false;
      app.clock.move(20 * DAY_MS);
      const again = await appOn(app, 'desk', kept);
      again.network.isUp = false;
      assert.equal((await again.licensing.validate()).status, 'grace');
    });

    it('learns the key that signs after a rotation, and trusts no list that its keys did not sign', async () => {
      const kept = {};
      const { licensing, network } = await appOn(app, 'desk', kept);
      await licensing.activate(await app.license());
      await storage.transaction((tx) => rotateSigningKey(tx, app.clock.now(), 0));
      app.clock.move(20 * DAY_MS);
      assert.equal((await licensing.validate()).mayRun, true);
      network.isUp = false;
      app.clock.move(20 * DAY_MS);
      const again = await appOn(app, 'desk', kept);
      again.network.isUp = false;
      // 40 days after the first file, whose key alone is compiled into the app.
      Object.assign(again.licensing, { options: (licensing as unknown as { options: object }).options });
      assert.equal((await again.licensing.validate()).status, 'grace');
      const [foreign] = (await startedElsewhere(engine)).keys;
      Object.assign(again.licensing, { known: { ...(kept as { settings: object }).settings, keyList: foreign } });
      assert.equal((await again.licensing.validate()).status, 'lapsed');
    });

    it('goes on for 30 days without an answer and not longer', async () => {
      const { licensing, network } = await appOn(app, 'desk');
      await licensing.activate(await app.license());
      network.isUp = false;
      app.clock.move(30 * DAY_MS - 1000);
      assert.equal((await licensing.validate()).status, 'grace');
      app.clock.move(1000);
      assert.equal((await licensing.validate()).status, 'lapsed');
      network.isUp = true;
      assert.equal((await licensing.validate()).mayRun, true, 'the token has expired, and it activated again');
    });

    it('goes on for a day without a license file while it runs, and not at its next start', async () => {
      const { licensing, network, kept } = await appOn(app, 'desk');
      await licensing.activate(await app.license());
      network.isUp = false;
      Object.assign(licensing, { known: { ...kept.settings, file: undefined } });
      app.clock.move(DAY_MS - 2000);
      assert.equal((await licensing.validate()).status, 'grace');
      const next = await appOn(app, 'desk', kept);
      next.network.isUp = false;
      assert.equal((await next.licensing.validate()).status, 'lapsed');
      app.clock.move(2000);
      assert.equal((await licensing.validate()).status, 'lapsed');
    });

    it('does not lock a machine that was active because of too many attempts', async () => {
      const key = await app.license({ maxMachines: 20 });
      const { licensing } = await appOn(app, 'desk');
      await licensing.activate(key);
      for (let n = 1; n < 15; n++) await (await appOn(app, `machine ${n}`)).licensing.activate(key);
      const refused = await licensing.activate(key);
      assert.equal(refused.code, 'activation_rate');
      assert.equal(refused.status, 'grace');
      assert.ok((refused.retryAfterMs ?? 0) > 0);
    });

    it('locks on a refusal of the license, and unlocks by itself when that changes', async () => {
      const key = await app.license();
      const { licensing } = await appOn(app, 'desk');
      await licensing.activate(key);
      await app.admin('/revokeLicense', { licenseKey: key });
      assert.deepEqual(await codeOf(licensing.validate()), [false, 'license_revoked']);
      await app.admin('/reinstateLicense', { licenseKey: key });
      assert.deepEqual(await codeOf(licensing.validate()), [true, undefined]);
      await app.admin('/updateLicense', { licenseKey: key, expiresAt: app.clock.at(-1) });
      assert.deepEqual(await codeOf(licensing.validate()), [false, 'license_expired']);
      await app.admin('/updateLicense', { licenseKey: key, expiresAt: app.clock.at(DAY_MS) });
      assert.deepEqual(await codeOf(licensing.validate()), [true, undefined]);
      await app.admin('/resetActivations', { licenseKey: key });
      assert.deepEqual(await codeOf(licensing.validate()), [true, undefined]);
    });

    it('keeps a license that it has when another key is entered and refused', async () => {
      const { licensing, network } = await appOn(app, 'desk');
      await licensing.activate(await app.license());
      assert.deepEqual(await codeOf(licensing.activate('nonsense')), [true, 'license_not_found']);
      network.isUp = false;
      assert.deepEqual(await codeOf(licensing.activate('nonsense')), [true, 'no_answer']);
      assert.equal(await licensing.deactivate(), false);
      network.isUp = true;
      assert.equal((await licensing.validate()).status, 'licensed');
      assert.equal(await licensing.deactivate(), true);
      assert.equal((await licensing.validate()).status, 'unlicensed');
    });

    it('says which key is wrong, and when there are too many machines', async () => {
      const other = await app.license({ productId: 'other' });
      const { licensing } = await appOn(app, 'desk');
      assert.deepEqual(await codeOf(licensing.activate('nonsense')), [false, 'license_not_found']);
      assert.deepEqual(await codeOf(licensing.activate(other)), [false, 'wrong_product']);
      const key = await app.license({ maxMachines: 1 });
      await licensing.activate(key);
      const second = await appOn(app, 'road');
      assert.deepEqual(await codeOf(second.licensing.activate(key)), [false, 'machine_limit']);
      await licensing.deactivate();
      assert.deepEqual(await codeOf(second.licensing.activate(key)), [true, undefined]);
    });

    it('ends where the machine was freed and another one took the slot, also without a connection', async () => {
      const key = await app.license({ maxMachines: 1 });
      const { licensing, network } = await appOn(app, 'desk');
      await licensing.activate(key);
      await app.admin('/resetActivations', { licenseKey: key });
      await (await appOn(app, 'road')).licensing.activate(key);
      assert.equal((await licensing.validate()).status, 'released');
      network.isUp = false;
      assert.equal((await licensing.validate()).status, 'lapsed');
    });

    it('keeps the key of a full floating license at its first entry, and takes the next free seat', async () => {
      const key = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      const first = await appOn(app, 'desk');
      await first.licensing.activate(key);
      const { licensing, kept } = await appOn(app, 'road');
      assert.equal((await licensing.activate(key)).status, 'waiting');
      // From here on the app uses up no attempts of the license.
      for (let poll = 0; poll < 20; poll++) assert.equal((await licensing.heartbeat()).status, 'waiting');
      const next = await appOn(app, 'road', kept);
      assert.deepEqual(await codeOf(next.licensing.validate()), [false, 'machine_limit']);
      await first.licensing.close();
      assert.deepEqual(await codeOf(next.licensing.validate()), [true, undefined]);
    });

    it('gives a floating seat back when the app ends, and needs no key at its next start', async () => {
      const key = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      const { licensing, kept } = await appOn(app, 'desk');
      await licensing.activate(key);
      await licensing.close();
      const { body } = await app.send('/verify', { licenseKey: key, productId: 'app' });
      assert.equal(body.machinesUsed, 0);
      assert.equal((await (await appOn(app, 'desk', kept)).licensing.validate()).status, 'licensed');
    });

    it('keeps a floating seat by heartbeats at a third of the timeout, and asks for a lost one again', async () => {
      const key = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      const { licensing } = await appOn(app, 'desk');
      const isAThird = (ms = 0) => assert.ok(Math.abs(ms - 5 * 60_000) < 1000, `${ms}`);
      isAThird((await licensing.activate(key)).nextHeartbeatMs);
      const { body: shown } = await app.send('/verify', { licenseKey: key, productId: 'app' });
      assert.deepEqual([shown.machinesUsed, shown.maxMachines], [1, 1], 'seats, as the page says');
      const { license } = (await app.admin('/getLicense', { licenseKey: key })).body;
      assert.deepEqual([license.maxMachines, license.maxConcurrent], [2, 1]);
      for (let beat = 0; beat < 4; beat++) {
        app.clock.move(5 * 60_000);
        isAThird((await licensing.heartbeat()).nextHeartbeatMs);
      }
      app.clock.move(16 * 60_000);
      const other = await appOn(app, 'road');
      assert.equal((await other.licensing.activate(key)).mayRun, true);
      assert.deepEqual(await codeOf(licensing.heartbeat()), [false, 'machine_limit']);
      // From here on the app uses up no more attempts of the license.
      for (let beat = 0; beat < 9; beat++)
        assert.deepEqual(await codeOf(licensing.heartbeat()), [false, 'machine_not_activated']);
      await other.licensing.deactivate();
      assert.deepEqual(await codeOf(licensing.heartbeat()), [true, undefined]);
    });
  });

async function codeOf(asked: Promise<SampleState>): Promise<[boolean, string | undefined]> {
  const { mayRun, code } = await asked;
  return [mayRun, code];
}
