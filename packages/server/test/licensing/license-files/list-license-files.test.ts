/** GET/POST /listLicenseFiles (rules 4.12.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedApp } from '../../support/started-app.ts';
import { fetchFile } from './reading.ts';

for (const engine of engines)
  describe(`/listLicenseFiles on ${engine}`, () => {
    const app = startedApp(engine);

    it('lists of each machine the file that it got last for each purpose, the newest first', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      const { licenseKey, fingerprint } = machine;
      await fetchFile(machine);
      const order = { licenseKey, machineFingerprint: fingerprint, hostname: 'Else', days: 10 };
      const offline = await mustSucceed(app.admin('/createLicenseFile', order));
      const open = await mustSucceed(app.admin('/createLicenseFile', { licenseKey, anyMachine: true, forever: true }));
      app.clock.move(MINUTE_MS);
      const fetched = await mustSucceed(fetchFile(machine));
      const { files, count } = await mustSucceed(app.admin('/listLicenseFiles', { licenseKey }));
      assert.equal(count, 3);
      const of = ({ fileId, issuedAt, expiresAt }: Record<string, string>) => ({ fileId, issuedAt, expiresAt });
      const byOperator = { purpose: 'offline', issuedBy: 'operator' };
      assert.deepEqual(files, [
        { ...of(fetched), fingerprint, hostname: 'host of machine-1', purpose: 'grace', issuedBy: 'client' },
        { ...of(open), fingerprint: null, hostname: null, ...byOperator },
        { ...of(offline), fingerprint, hostname: 'Else', ...byOperator },
      ]);
    });

    it('is read page by page', async () => {
      const licenseKey = await app.license({ maxMachines: -1 });
      const ids: string[] = [];
      for (let index = 0; index < 7; index += 1) {
        const order = { licenseKey, machineFingerprint: `machine ${index}`, hostname: 'Host' };
        ids.unshift((await mustSucceed(app.admin('/createLicenseFile', order))).fileId);
      }
      const pages = await pagesOf(app.admin, '/listLicenseFiles', { licenseKey, limit: 3 }, 'files');
      assert.deepEqual(
        pages.map((page) => page.map(({ fileId }) => fileId)),
        [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)],
      );
      const faulty = await app.admin('/listLicenseFiles', { licenseKey, cursor: 'none' });
      assertRefused(faulty, 400, 'cursor is not the nextCursor of an earlier answer');
    });

    it('400 without a licenseKey, 404 when nobody has it', async () => {
      assertRefused(await app.admin('/listLicenseFiles'), 400, 'Missing licenseKey');
      assertRefused(await app.admin('/listLicenseFiles', { licenseKey: 'none' }), 404, 'License not found');
    });
  });
