import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { ADVICE } from '../src/reference/refusal-advice.ts';
import { startApp, type TestApp } from './support/app.ts';
import { engines } from './support/databases.ts';

const page = readFileSync(new URL('../../../docs/integrating.md', import.meta.url), 'utf8');
const [, source = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];

/** Result of the class in docs/integrating.md. */
interface State {
  readonly mayRun: boolean;
  readonly code?: string;
  readonly isUnreachable?: true;
  readonly retryAfterSeconds?: number;
  readonly nextHeartbeatMs?: number;
}

interface Licensing {
  activate(licenseKey: string): Promise<State>;
  validate(): Promise<State>;
  heartbeat(): Promise<State>;
  deactivate(): Promise<void>;
}

const { Licensing } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
  Licensing: new (options: object) => Licensing;
};

/** An app on a machine, whose settings last as long as `kept`; the test can cut its network. */
function appOn(app: TestApp, fingerprint: string, kept: { settings?: object } = {}) {
  const network = { isUp: true };
  const licensing = new Licensing({
    server: 'https://server',
    productId: 'app',
    fingerprint,
    hostname: `host of ${fingerprint}`,
    store: { load: () => kept.settings, save: (settings: object) => (kept.settings = settings) },
    now: app.clock.now,
    fetch: async (url: string, { body }: { body: string }) => {
      if (!network.isUp) throw new TypeError('fetch failed');
      const answer = await app.send(new URL(url).pathname, body);
      return new Response(JSON.stringify(answer.body), {
        status: answer.status,
        headers: answer.headers as Record<string, string>,
      });
    },
  });
  return { licensing, network, kept };
}

const DAY_MS = 86_400_000;

describe('the page on integrating an app', () => {
  it('says for every code that an app can meet about its license what to do', () => {
    const [table = ''] = /\| Code \|[\s\S]*?\n\n/.exec(page) ?? [];
    for (const [code, { app }] of Object.entries(ADVICE))
      if (app !== undefined && !app.startsWith('Goes on as after its last good answer'))
        assert.ok(table.includes(`\`${code}\``), `${code} is not in the table`);
  });
});

for (const engine of engines)
  describe(`the code of the page on integrating an app, on ${engine}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    it('runs once a key is entered, and at each start from then on', async () => {
      const key = await app.license();
      const { licensing, kept } = appOn(app, 'desk');
      assert.deepEqual(await licensing.validate(), { mayRun: false, code: 'no_key' });
      assert.equal((await licensing.activate(key)).mayRun, true);
      assert.equal((await appOn(app, 'desk', kept).licensing.validate()).mayRun, true);
    });

    it('keeps the token that /validate renews', async () => {
      const { licensing } = appOn(app, 'desk');
      await licensing.activate(await app.license());
      for (let week = 0; week < 10; week++) {
        app.clock.move(7 * DAY_MS);
        assert.equal((await licensing.validate()).mayRun, true);
      }
    });

    it('goes on for 30 days without an answer and not longer', async () => {
      const { licensing, network } = appOn(app, 'desk');
      await licensing.activate(await app.license());
      network.isUp = false;
      app.clock.move(30 * DAY_MS - 1);
      assert.deepEqual(await licensing.validate(), { mayRun: true, isUnreachable: true });
      app.clock.move(1);
      assert.equal((await licensing.validate()).mayRun, false);
      network.isUp = true;
      assert.equal((await licensing.validate()).mayRun, true, 'the token has expired, and it activated again');
    });

    it('does not lock a machine that was active because of too many attempts', async () => {
      const key = await app.license({ maxMachines: 20 });
      const { licensing } = appOn(app, 'desk');
      await licensing.activate(key);
      for (let n = 1; n < 15; n++) await appOn(app, `machine ${n}`).licensing.activate(key);
      const refused = await licensing.activate(key);
      assert.equal(refused.code, 'activation_rate');
      assert.equal(refused.mayRun, true);
      assert.ok((refused.retryAfterSeconds ?? 0) > 0);
    });

    it('locks for what the server says about the license, and unlocks by itself when that changes', async () => {
      const key = await app.license();
      const { licensing } = appOn(app, 'desk');
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

    it('says which key is wrong, and when there are too many machines', async () => {
      const other = await app.license({ productId: 'other' });
      assert.deepEqual(await codeOf(appOn(app, 'desk').licensing.activate('nonsense')), [false, 'license_not_found']);
      assert.deepEqual(await codeOf(appOn(app, 'desk').licensing.activate(other)), [false, 'wrong_product']);
      const key = await app.license({ maxMachines: 1 });
      const first = appOn(app, 'desk');
      await first.licensing.activate(key);
      const second = appOn(app, 'road');
      assert.deepEqual(await codeOf(second.licensing.activate(key)), [false, 'machine_limit']);
      await first.licensing.deactivate();
      assert.deepEqual(await codeOf(second.licensing.activate(key)), [true, undefined]);
    });

    it('keeps a floating seat by heartbeats at a third of the timeout, and asks for a lost one again', async () => {
      const key = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      const { licensing } = appOn(app, 'desk');
      const { nextHeartbeatMs } = await licensing.activate(key);
      assert.equal(nextHeartbeatMs, 5 * 60_000);
      for (let beat = 0; beat < 4; beat++) {
        app.clock.move(5 * 60_000);
        assert.equal((await licensing.heartbeat()).nextHeartbeatMs, 5 * 60_000);
      }
      app.clock.move(16 * 60_000);
      const other = appOn(app, 'road');
      assert.equal((await other.licensing.activate(key)).mayRun, true);
      assert.deepEqual(await codeOf(licensing.heartbeat()), [false, 'machine_limit']);
      // From here on the app uses up no more attempts of the license.
      for (let beat = 0; beat < 9; beat++)
        assert.deepEqual(await codeOf(licensing.heartbeat()), [false, 'machine_not_activated']);
      await other.licensing.deactivate();
      assert.deepEqual(await codeOf(licensing.heartbeat()), [true, undefined]);
    });
  });

async function codeOf(asked: Promise<State>): Promise<[boolean, string | undefined]> {
  const { mayRun, code } = await asked;
  return [mayRun, code];
}
