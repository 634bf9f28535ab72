import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_SECRET } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import type { TestDatabase } from '../../support/test-database.ts';

/** Moments as sent, and as stored. */
const MOMENTS = [
  ['2027-01-31T12:30:00', '2027-01-31T12:30:00.000Z'],
  ['2027-01-31T12:30:00.5', '2027-01-31T12:30:00.500Z'],
  ['2027-01-31T23:59', '2027-01-31T23:59:00.000Z'],
  ['2027-01-31', '2027-01-31T23:59:59.999Z'],
  ['2027-01-31 00:00:00', '2027-01-31T00:00:00.000Z'],
  // This hour does not exist where clocks are put forward that night.
  ['2027-03-14T02:30:00', '2027-03-14T02:30:00.000Z'],
  ['2027-01-31T12:30:00-05:00', '2027-01-31T17:30:00.000Z'],
  ['2027-01-31T12:30:00Z', '2027-01-31T12:30:00.000Z'],
] as const;

for (const engine of engines)
  for (const zone of ['America/New_York', 'Pacific/Kiritimati'])
    describe(`a machine whose clock is set to ${zone}, on ${engine}`, () => {
      let fresh: TestDatabase;
      let server: ServerProcess;
      before(async () => {
        fresh = await freshDatabase(engine);
        server = await startServerProcess(fresh.database, { TZ: zone });
      });
      after(async () => {
        await server.stop();
        await fresh.remove();
      });

      it('takes moments without a zone as UTC, as every other machine does', async () => {
        for (const [sent, kept] of MOMENTS) {
          const order = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app', expiresAt: sent };
          const { body } = await server.send('/createLicense', order);
          const { licenseKey } = body;
          const read = await server.send('/getLicense', { adminSecret: ADMIN_SECRET, licenseKey });
          assert.equal(read.body.license.expiresAt, kept, sent);
        }
      });
    });
