/**
 * Rows whose JSON the service did not write: imported by an older version, repaired by hand, damaged on disk. The
 * customer continues wherever the rest of the row suffices, and nobody else is affected.
 */
import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { activate } from '../../../src/licensing/client-endpoints/activate.ts';
import { verify } from '../../../src/licensing/client-endpoints/verify.ts';
import { TokenKeys } from '../../../src/licensing/session-tokens/token-keys.ts';
import { CallFailure } from '../../../src/platform/endpoint/endpoint.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { type Answer, sendRequest, startApp, type TestApp } from '../../support/app.ts';
import { requestContextAt, ruleContextOf } from '../../support/contexts.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { execute, rowOf } from '../../support/own-connection.ts';

/** Values in place of a list or a record; the first is not JSON. */
const DAMAGED = ['{"cut off', '', 'null', '5', '"abc"', '[null]', '[{"a":1}]', '{"machines":5}', '{"a":{}}', '1e999'];

for (const engine of engines)
  describe(`damaged rows on ${engine}`, () => {
    let app: TestApp;
    let agent: Agent;
    before(async () => {
      app = await startApp(engine, { LATCHKEY_LOG_LEVEL: 'fatal' });
      agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false });
    });
    after(async () => {
      agent.destroy();
      await app.stop();
    });

    /** Sends a call of a machine, which may fail. */
    const ask = (path: string, licenseKey: string, productId: string): Promise<Answer> =>
      sendRequest(agent, app.port, path, { licenseKey, productId, machineFingerprint: 'one', hostname: 'one' }, {});

    const damage = (table: string, column: string, value: string, licenseKey: string) =>
      execute(app.database, `update ${table} set ${column} = '${value}' where license_key = '${licenseKey}'`);
    /** A license whose only slot is taken, with an open violation about refused machines. */
    const fullLicense = async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'bound').activated();
      assert.equal((await new Machine(app, licenseKey, 'further').activate()).status, 403);
      return licenseKey;
    };

    it('evidence of any shape never keeps a machine from an answer, and is evidence again afterwards', async () => {
      for (const value of [...DAMAGED, '{"machines":[null,{"fingerprint":7},{"fingerprint":"x","lastSeen":"soon"}]}']) {
        const licenseKey = await fullLicense();
        await damage('violation', 'evidence', value, licenseKey);
        app.clock.move(120_000);
        assert.equal((await new Machine(app, licenseKey, 'bound').activate()).status, 200, value);
        assert.equal((await new Machine(app, licenseKey, 'new').activate()).status, 403, value);
        const { status, body } = await app.admin('/getLicense', { licenseKey });
        assert.equal(status, 200, value);
        const { machines } = body.violations[0].evidence;
        assert.equal(machines[0].fingerprint, 'new', JSON.stringify(body.violations));
        assert.equal((await app.admin('/explainLicense', { licenseKey, productId: 'app' })).status, 200, value);
      }
    });

    it('evidence of any shape is listed, explained and forgotten with its customer', async () => {
      for (const value of DAMAGED) {
        const email = 'eve@example.com';
        const licenseKey = await app.license({ maxMachines: 1, email });
        await new Machine(app, licenseKey, 'bound').activated();
        await new Machine(app, licenseKey, 'further').activate();
        await damage('violation', 'evidence', value, licenseKey);
        assert.equal((await app.admin('/listViolations', {})).status, 200, value);
        assert.equal((await app.admin('/explainLicense', { licenseKey, productId: 'app' })).status, 200, value);
        const forgotten = await app.admin('/forgetCustomer', { email });
        assert.deepEqual([forgotten.status, forgotten.body.complete], [200, true], value);
      }
    });

    it('countries and attempts of any shape never keep a machine from an answer, and are kept right again', async () => {
      for (const value of DAMAGED) {
        const licenseKey = await app.license();
        const machine = await new Machine(app, licenseKey, 'one').activated();
        await damage('license', 'attempts', value, licenseKey);
        await damage('license', 'countries_seen', value, licenseKey);
        await damage('activation', 'countries', value, licenseKey);
        for (const answer of [await machine.activate(), await machine.validate(), await machine.heartbeat()])
          assert.equal(answer.status, 200, `${value}: ${JSON.stringify(answer.body)}`);
        assert.equal((await app.admin('/getLicense', { licenseKey })).status, 200, value);
        const row = (await rowOf(app.database, `select attempts from license where license_key = '${licenseKey}'`))!;
        assert.deepEqual(JSON.parse(String(row.attempts)), [app.clock.now()], value);
      }
    });

    it('unlocked products that cannot be read fail the calls for further products alone, never those for its own', async () => {
      for (const value of DAMAGED) {
        const licenseKey = await app.license({ unlockedProducts: ['more'] });
        await damage('license', 'unlocked_products', value, licenseKey);
        for (const path of ['/verify', '/activate', '/verify']) {
          assert.equal((await ask(path, licenseKey, 'app')).status, 200, `${path} ${value}`);
          // Not 403: it is unknown whether the license opens the product.
          assert.equal((await ask(path, licenseKey, 'more')).status, 500, `${path} ${value}`);
        }
        assert.equal((await app.admin('/getLicense', { licenseKey })).status, 200, value);
        assert.equal((await app.admin('/listLicenses', { email: 'ada@example.com' })).status, 200, value);
        assert.equal((await app.admin('/revokeLicense', { licenseKey })).status, 200, value);
        assert.equal((await ask('/verify', licenseKey, 'app')).status, 403, value);
        const row = (await rowOf(
          app.database,
          `select unlocked_products as "products" from license where license_key = '${licenseKey}'`,
        ))!;
        assert.equal(row.products, value, 'what is damaged is left for its repair');
      }
    });

    it('a license that cannot be read fails its own calls in a batch, whose others are decided with them', async (test) => {
      const damaged = await app.license({ unlockedProducts: ['more'], productId: 'other' });
      await damage('license', 'unlocked_products', '5', damaged);
      const keys = [await app.license(), damaged, await app.license(), damaged];
      const storage = await openStorage(app.database);
      test.after(() => storage.close());
      const tokenKeys = new TokenKeys();
      await tokenKeys.open(storage, app.clock.now);
      const ruleContext = ruleContextOf(tokenKeys);
      for (const { work } of [activate, verify]) {
        assert.ok(work.kind === 'batch');
        const { batch } = work;
        const calls = keys.map((licenseKey, index) =>
          work.bind(
            {
              licenseKey,
              machineFingerprint: `m${index}`,
              hostname: 'host',
              productId: index === 3 ? 'other' : 'app',
            },
            requestContextAt(app.clock.now()),
          ),
        );
        const results = await (batch.mode === 'write'
          ? storage.transaction((tx) => batch.run(tx, calls, ruleContext))
          : storage.read((sql) => batch.run(sql, calls, ruleContext)));
        const kinds = results.map((result) => (result instanceof CallFailure ? 'failed' : Object.keys(result)[0]));
        // A call that writes shares its writes with the others of its license; one that only reads does not.
        const [sound, last] = batch.mode === 'write' ? ['success', 'failed'] : ['valid', 'valid'];
        assert.deepEqual(kinds, [sound, 'failed', sound, last]);
      }
      const row = (await rowOf(
        app.database,
        `select machines_used as "used", attempts from license where license_key = '${damaged}'`,
      ))!;
      assert.deepEqual([Number(row.used), row.attempts], [0, '[]'], 'nothing of what failed is kept');
    });

    it('a license that cannot be read is answered an error, and the calls beside it are answered', async () => {
      const damaged = await app.license({ unlockedProducts: ['more'], productId: 'other' });
      await damage('license', 'unlocked_products', '"abc"', damaged);
      const sound = await Promise.all(Array.from({ length: 40 }, () => app.license()));
      await fillPool(app);
      for (const path of ['/verify', '/activate']) {
        const answers = await Promise.all(sound.flatMap((key) => [ask(path, key, 'app'), ask(path, damaged, 'more')]));
        const statuses = answers.map(({ status }) => status);
        assert.deepEqual([...new Set(statuses.filter((_, index) => index % 2 === 0))], [200], path);
        assert.deepEqual([...new Set(statuses.filter((_, index) => index % 2 === 1))], [500], path);
      }
    });

    it('a call that fails leaves the sessions released that lapsed before it', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1, unlockedProducts: ['more'] });
      await new Machine(app, licenseKey, 'one').activated();
      await damage('license', 'unlocked_products', '{}', licenseKey);
      app.clock.move(3_600_000);
      assert.equal((await ask('/activate', licenseKey, 'more')).status, 500);
      const row = (await rowOf(
        app.database,
        `select sessions_held as "held", (select count(*) from activation a where a.license_key = l.license_key
           and a.session_deadline is not null) as "live" from license l where license_key = '${licenseKey}'`,
      ))!;
      assert.deepEqual([Number(row.held), Number(row.live)], [0, 0]);
      assert.equal((await new Machine(app, licenseKey, 'two').activate()).status, 200);
    });

    it('all other JSON is read with any content', async () => {
      const licenseKey = await app.license();
      await new Machine(app, licenseKey, 'one').activated();
      await new Machine(app, licenseKey, 'one').activate();
      for (const value of DAMAGED) {
        await execute(app.database, `update event set before_facts = '${value}', after_facts = '${value}'`);
        assert.equal((await app.admin('/listEvents', {})).status, 200, value);
        assert.equal((await app.admin('/getLicense', { licenseKey, history: true })).status, 200, value);
      }
      for (const value of DAMAGED) {
        // The first call stores counts, which the test damages; the second call replaces them for the next value.
        assert.equal(
          (await app.send('/redeemTrialCode', { code: 'NONE', email: 'a@b', productId: 'app' })).status,
          404,
        );
        await execute(app.database, `update rate set counts = '${value}'`);
        const again = await app.send('/redeemTrialCode', { code: 'NONE', email: 'a@b', productId: 'app' });
        assert.equal(again.status, 404, `${value} ${JSON.stringify(again.body)}`);
        const row = (await rowOf(app.database, 'select counts from rate'))!;
        assert.deepEqual(JSON.parse(String(row.counts)), [[app.clock.now(), 1]], value);
      }
      await app.send('/verify', { licenseKey, productId: 'wrong' });
      await execute(app.database, `update kept_refusal set details = '"abc"'`);
      assert.equal((await app.admin('/listRefusals', {})).status, 200);
      await execute(app.database, `update license_total set fullest_pools = '[null,{"licenseKey":5}]'`);
      assert.equal((await app.admin('/getOverview', {})).status, 200);
    });
  });
