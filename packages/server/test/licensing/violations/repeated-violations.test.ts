/** Repeated violations are written at most once a minute, and still counted one by one. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { inspect } from '../../support/answers.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import type { TestDatabase } from '../../support/test-database.ts';

for (const engine of engines)
  describe(`repeated violations on ${engine}`, () => {
    let database: TestDatabase;
    let app: TestApp;
    before(async () => {
      database = await freshDatabase(engine);
      app = await startApp(engine, {}, database);
    });
    after(async () => {
      await app.stop();
      await database.remove();
    });

    /** A machine that shows the token of another one this many times. */
    const replay = async (on: TestApp, licenseKey: string, token: string, times: number) => {
      const thief = new Machine(on, licenseKey, 'thief');
      thief.token = token;
      const answers = await Promise.all(Array.from({ length: times }, () => thief.validate()));
      assert.ok(answers.every(({ status }) => status === 401));
    };
    const stolenToken = async () => {
      const licenseKey = await app.license();
      return { licenseKey, token: (await new Machine(app, licenseKey, 'victim').activated()).token };
    };
    const only = async (licenseKey: string) => {
      const { violations } = await inspect(app, licenseKey);
      assert.equal(violations.length, 1);
      return violations[0];
    };
    const restart = async () => {
      await app.stop();
      app = await startApp(engine, {}, database);
    };

    it('are shown with the next one that comes a minute later, all of them counted', async () => {
      const { licenseKey, token } = await stolenToken();
      await replay(app, licenseKey, token, 1);
      const first = await only(licenseKey);
      await replay(app, licenseKey, token, 30);
      assert.deepEqual(await only(licenseKey), first);
      app.clock.move(MINUTE_MS - 1);
      await replay(app, licenseKey, token, 5);
      assert.deepEqual(await only(licenseKey), first);
      app.clock.move(1);
      await replay(app, licenseKey, token, 1);
      const { occurrences, lastSeen } = await only(licenseKey);
      assert.deepEqual([occurrences, lastSeen], [37, app.clock.at()]);
    });

    it('are written at once if they raise its severity', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'bound').activated();
      for (const name of ['a', 'b', 'a', 'c', 'd'])
        assert.equal((await new Machine(app, licenseKey, name).activate()).status, 403);
      assert.partialDeepStrictEqual(await only(licenseKey), { severity: 1, occurrences: 1 });
      assert.equal((await new Machine(app, licenseKey, 'e').activate()).status, 403);
      const { severity, occurrences, evidence } = await only(licenseKey);
      assert.deepEqual([severity, occurrences], [2, 6]);
      const names = evidence.machines.map((each: { fingerprint: string }) => each.fingerprint);
      assert.deepEqual(names, ['e', 'd', 'c', 'a', 'b']);
      assert.equal((await inspect(app, licenseKey)).license.threatLevel, 2);
    });

    it('are written when the service stops', async () => {
      const { licenseKey, token } = await stolenToken();
      await replay(app, licenseKey, token, 1);
      await replay(app, licenseKey, token, 41);
      await restart();
      assert.equal((await only(licenseKey)).occurrences, 42);
    });

    it('are counted for the violation that was open when they came, also when it is resolved before they are written', async () => {
      const { licenseKey, token } = await stolenToken();
      await replay(app, licenseKey, token, 1);
      await replay(app, licenseKey, token, 4);
      const { id } = await only(licenseKey);
      assert.equal((await app.admin('/resolveLicense', { licenseKey, violationIds: [id] })).body.threatLevel, 0);
      await replay(app, licenseKey, token, 1);
      assert.equal((await inspect(app, licenseKey)).license.threatLevel, 3);
      await replay(app, licenseKey, token, 2);
      await restart();
      const { violations } = await inspect(app, licenseKey);
      const counts = violations.map((each: { id: string; occurrences: number }) => [each.id === id, each.occurrences]);
      assert.deepEqual(counts.sort(), [
        [false, 3],
        [true, 5],
      ]);
    });

    it('are short, even if callers send long names', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'bound').activated();
      const sent = Array.from({ length: 14 }, (_, index) => `${index}${'\u0001'.repeat(240)}`);
      for (const name of sent) {
        app.clock.move(MINUTE_MS);
        assert.equal((await new Machine(app, licenseKey, name).activate()).status, 403);
      }
      const { evidence, severity } = await only(licenseKey);
      assert.equal(severity, 2);
      assert.ok(Buffer.byteLength(JSON.stringify(evidence)) <= 16 * 1024);
      assert.ok(sent.at(-1)?.startsWith(evidence.machines[0].fingerprint));
      for (const { fingerprint, hostname } of evidence.machines)
        assert.ok([...fingerprint].length <= 100 && [...hostname].length <= 100);
    });

    if (engine === 'postgres')
      it('are added up by servers that share the database', async () => {
        const { licenseKey, token } = await stolenToken();
        const other = await startApp(engine, {}, database);
        await Promise.all([replay(app, licenseKey, token, 30), replay(other, licenseKey, token, 30)]);
        await other.stop();
        await restart();
        assert.equal((await only(licenseKey)).occurrences, 60);
      });
  });
