/** The rate at which a machine may fetch license files, and that a repeated call gets the same file (rules 11.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import type { IssuedFile } from '../../../src/licensing/license-files/issue.ts';
import { RecentFiles } from '../../../src/licensing/license-files/recent-files.ts';
import { assertRefused, update } from '../../support/answers.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { statusCounts } from '../../support/behind-proxy.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { fetchFile } from './reading.ts';

const LIMIT = 10;

for (const engine of engines)
  describe(`license files that a machine fetches again on ${engine}`, () => {
    const app = startedApp(engine);

    const machineOf = async (order: Readonly<Record<string, unknown>> = {}) =>
      new Machine(app, await app.license(order)).activated();
    const fileIdOf = async (machine: Machine) => (await mustSucceed(fetchFile(machine))).fileId;

    it('are the same file for a minute, and another one from then on', async () => {
      const machine = await machineOf();
      const first = await mustSucceed(fetchFile(machine));
      app.clock.move(MINUTE_MS - 1);
      assert.deepEqual(await mustSucceed(fetchFile(machine)), first);
      app.clock.move(1);
      assert.notEqual(await fileIdOf(machine), first.fileId);
    });

    it('are another file as soon as it would say something else', async () => {
      const machine = await machineOf({ expiresAt: app.clock.at(400 * DAY_MS) });
      const { licenseKey } = machine;
      const seen = new Set([await fileIdOf(machine)]);
      for (const change of [{ maxMachines: 7 }, { variant: 'pro' }, { expiresAt: app.clock.at(500 * DAY_MS) }]) {
        await update(app, licenseKey, change);
        const fileId = await fileIdOf(machine);
        assert.ok(!seen.has(fileId), `the file does not say ${JSON.stringify(change)}`);
        assert.equal(await fileIdOf(machine), fileId);
        seen.add(fileId);
      }
    });

    it('are refused to a machine that lost its right to one, even within the minute', async () => {
      const machine = await machineOf({ maxMachines: 1 });
      const { licenseKey } = machine;
      await mustSucceed(fetchFile(machine));
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      assertRefused(await fetchFile(machine), 403, 'License has been revoked');
      await mustSucceed(app.admin('/reinstateLicense', { licenseKey }));
      await update(app, licenseKey, { expiresAt: app.clock.at(-1) });
      assertRefused(await fetchFile(machine), 403, 'License has expired');
      await update(app, licenseKey, { expiresAt: null });
      await machine.deactivate();
      assertRefused(await fetchFile(machine), 403, 'Machine not activated');
      machine.token = 'garbage';
      assertRefused(await fetchFile(machine), 401, 'Invalid or expired token');
    });

    it('are refused within the minute where the floating session has lapsed', async (test) => {
      const short = await startApp(engine, { LATCHKEY_FLOATING_TIMEOUT: '30s' });
      test.after(() => short.stop());
      const machine = await new Machine(short, await short.license({ licenseType: 'floating' })).activated();
      await mustSucceed(fetchFile(machine));
      short.clock.move(31_000);
      assertRefused(await fetchFile(machine), 403, 'Machine not activated');
    });

    it(`are ${LIMIT} an hour beyond repeats, then 429 with Retry-After`, async () => {
      const machine = await machineOf();
      for (let count = 0; count < LIMIT; count += 1) {
        await mustSucceed(fetchFile(machine));
        app.clock.move(MINUTE_MS);
      }
      const refused = await fetchFile(machine);
      assertRefused(refused, 429, 'Too many license files for this machine. Try again later.');
      assert.equal(refused.headers['latchkey-code'], 'license_file_rate');
      const other = await new Machine(app, machine.licenseKey, 'other').activated();
      assert.equal((await fetchFile(other)).status, 200, 'another machine has a count of its own');
      app.clock.move(Number(refused.headers['retry-after']) * 1000);
      assert.equal((await fetchFile(machine)).status, 200);
      assert.equal((await machine.validate()).status, 200);
    });

    it('are six in the lifetime of a file that lasts half an hour, then 429', async (test) => {
      const short = await startApp(engine, { LATCHKEY_FLOATING_FILE_LIFETIME: '30m' });
      test.after(() => short.stop());
      const machine = await new Machine(short, await short.license({ licenseType: 'floating' })).activated();
      for (let count = 0; count < 12; count += 1) {
        await mustSucceed(fetchFile(machine));
        short.clock.move(MINUTE_MS);
      }
      assert.equal((await fetchFile(machine)).headers['latchkey-code'], 'license_file_rate');
    });

    it('are as many as an app needs that renews files of a minute', async (test) => {
      const short = await startApp(engine, { LATCHKEY_FLOATING_FILE_LIFETIME: '1m' });
      test.after(() => short.stop());
      const machine = await new Machine(short, await short.license({ licenseType: 'floating' })).activated();
      let last = '';
      for (let second = 0; second < 600; second += 15) {
        const { fileId } = await mustSucceed(fetchFile(machine));
        assert.notEqual(fileId, last, 'a file that should be renewed is not given again');
        last = fileId;
        short.clock.move(15_000);
      }
    });
  });

for (const engine of engines)
  describe(`license files that a machine fetches at once on ${engine}`, () => {
    it(`are ${LIMIT} an hour on all nodes together if none has the file in memory`, async (test) => {
      const shared = await freshDatabase(engine);
      const nodes = [await startApp(engine, {}, shared)];
      if (engine === 'postgres') nodes.push(await startApp(engine, {}, shared));
      test.after(async () => {
        await Promise.all(nodes.map((node) => node.stop()));
        await shared.remove();
      });
      const [first] = nodes as [TestApp];
      const machine = await new Machine(first, await first.license({ maxMachines: -1 })).activated();
      const ids = new Set<string>();
      const answers: { status: number }[] = [];
      await fillPool(...nodes);
      // Each round is in another minute and starts the same calls on all nodes: each of them may write one file or
      // more.
      for (let round = 0; round < LIMIT + 2; round += 1) {
        const { licenseKey, token } = machine;
        const fields = { licenseKey, machineFingerprint: machine.fingerprint, token };
        const answered = await Promise.all(
          Array.from({ length: 8 }, (_, at) => (nodes[at % nodes.length] as TestApp).send('/issueLicenseFile', fields)),
        );
        for (const { status, body } of answered) if (status === 200) ids.add(body.fileId);
        answers.push(...answered);
        for (const { clock } of nodes) clock.move(MINUTE_MS);
      }
      assert.equal(ids.size, LIMIT, `${LIMIT} files were made: ${JSON.stringify(statusCounts(answers))}`);
      for (const { clock } of nodes) clock.move(HOUR_MS);
      assert.equal((await fetchFile(machine)).status, 200);
    });
  });

describe('files in memory', () => {
  const file = (fileId: string): IssuedFile => ({
    licenseFile: '',
    fileId,
    issuedAt: '2027-01-01T00:00:00.000Z',
    renewAfter: '2027-02-01T00:00:00.000Z',
    expiresAt: null,
    keyId: 'k',
  });
  const now = Date.parse('2027-01-01T00:00:00.000Z');

  it('have a maximum number: the oldest is dropped', () => {
    const recent = new RecentFiles(2);
    for (const machine of ['one', 'two', 'three']) recent.keep('L', machine, 'content', file(machine), now);
    const found = ['one', 'two', 'three'].map((machine) => recent.find('L', machine, 'content', now)?.fileId);
    assert.deepEqual(found, [undefined, 'two', 'three']);
  });

  it('are not given again by a clock that was set back', () => {
    const recent = new RecentFiles();
    recent.keep('L', 'one', 'content', file('one'), now);
    assert.equal(recent.find('L', 'one', 'content', now - 1), null);
  });
});
