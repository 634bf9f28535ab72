/** The service writes repeats of violations by itself. Such a write is no change unless it raises the severity. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Engine, engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { rowOf } from '../../support/own-connection.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { assertRecorded, newEvents, StoredRows } from './stored-changes.ts';

async function open(test: TestContext, engine: Engine): Promise<{ database: TestDatabase; rows: StoredRows }> {
  const database = await freshDatabase(engine);
  const rows = await StoredRows.of(database.database);
  test.after(async () => {
    await rows.close();
    await database.remove();
  });
  return { database, rows };
}

/** Tries to activate machines that find no slot. */
async function refused(app: TestApp, licenseKey: string, ...fingerprints: readonly string[]): Promise<void> {
  for (const fingerprint of fingerprints)
    assert.equal((await new Machine(app, licenseKey, fingerprint).activate()).status, 403);
}

/** A license with one machine, which is bound. */
async function fullLicense(app: TestApp): Promise<string> {
  const licenseKey = await app.license({ maxMachines: 1 });
  await new Machine(app, licenseKey, 'bound').activated();
  return licenseKey;
}

for (const engine of engines)
  describe(`repeats of violations on ${engine}`, () => {
    it('are no changes to record when they are written', async (test) => {
      const { database, rows } = await open(test, engine);
      const app = await startApp(engine, {}, database);
      const licenseKey = await fullLicense(app);
      await refused(app, licenseKey, 'one', 'two', 'three');
      const before = await rows.snapshot();
      // PostgreSQL makes another version of a row with every write, even of the same values.
      const version = async () => (engine === 'postgres' ? rowOf(database.database, 'select xmin from license') : null);
      const versionBefore = await version();
      await app.stop();
      const after = await rows.snapshot();
      const [was] = before.violation.values();
      const [is] = after.violation.values();
      assert.deepEqual([was?.occurrences, is?.occurrences], [1, 3]);
      assertRecorded(before, after);
      assert.deepEqual(newEvents(before, after), []);
      assert.deepEqual(await version(), versionBefore, 'the row of the license was written');
    });
  });

describe('repeats of violations that two servers counted', () => {
  it('are recorded in the name of the service when they make a violation more severe', async (test) => {
    const { database, rows } = await open(test, 'postgres');
    const one = await startApp('postgres', {}, database);
    const other = await startApp('postgres', {}, database);
    const licenseKey = await fullLicense(one);
    await refused(one, licenseKey, 'one', 'two', 'three');
    await refused(other, licenseKey, 'four', 'five');
    await one.stop();
    const before = await rows.snapshot();
    await other.stop();
    const after = await rows.snapshot();
    assertRecorded(before, after);
    assert.deepEqual(
      newEvents(before, after).map(({ type, actor, requestId }) => ({ type, actor, requestId })),
      [{ type: 'violation.raised', actor: 'service:gather violations', requestId: null }],
    );
  });
});
