/** Copies and restored backups send nothing until somebody resumes their destinations. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { findLastPosition } from '../../../src/platform/events/feed-store.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { listInState } from '../../../src/webhooks/destinations/store.ts';
import { MAIL } from '../../customers/self-service/shop.ts';
import { startApp } from '../../support/app.ts';
import { environmentOf, runCommand } from '../../support/command.ts';
import { mustSucceed } from '../../support/creator.ts';
import { emptyDatabase, engines, freshDatabase } from '../../support/databases.ts';

const SETTINGS = { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests', LATCHKEY_DELIVERIES: 'off' };
const location = (database: Database) => (database.engine === 'postgres' ? database.url : database.file);

for (const engine of engines)
  describe(`a copy to ${engine}`, () => {
    it('has its destinations paused and no e-mails, and gives no position of the feed twice', async (test) => {
      const source = await freshDatabase('sqlite');
      const target = await emptyDatabase(engine);
      const directory = await mkdtemp(join(tmpdir(), 'latchkey-copied-'));
      test.after(async () => {
        await source.remove();
        await target.remove();
        await rm(directory, { recursive: true });
      });
      const app = await startApp('sqlite', { ...SETTINGS, ...MAIL }, source);
      const made = { url: 'https://hooks.example.com/', types: ['*'] };
      const { destinationId } = await mustSucceed(app.admin('/createDestination', made));
      await mustSucceed(app.admin('/mailLicense', { licenseKey: await app.license() }));
      await app.stop();
      const copied = await runCommand(['copy', '--from', location(source.database), '--to', location(target.database)]);
      assert.equal(copied.code, 0, copied.err);
      assert.match(copied.out, /^Deleted 1 e-mail of the copy: the original may send it\.$/m);
      assert.match(copied.out, /Paused 1 destination: no events are sent until \/resumeDestination/);
      const storage = await openStorage(target.database, { poolSize: 1 });
      test.after(() => storage.close());
      assert.deepEqual(await storage.read((sql) => listInState(sql, 'active')), []);
      const last = await storage.read(findLastPosition);
      await storage.close();
      const other = await startApp(engine, SETTINGS, target);
      await other.license();
      assert.equal((await mustSucceed(other.admin('/listMails'))).count, 0);
      const { body } = await other.admin('/getDestination', { destinationId });
      const { warnings } = (await other.admin('/getSystem')).body;
      assert.equal(warnings.length, 1);
      assert.match(warnings[0], /^1 destination paused by copy or restore: no events are sent there until/);
      const environment = { ...environmentOf(target.database), ...SETTINGS };
      const checked = await runCommand(['check'], environment);
      assert.match(checked.err, /Warning: 1 destination paused by copy or restore/);
      const withOtherKey = { ...environment, LATCHKEY_SECRETS_KEY: 'another-key-of-these-tests' };
      const { err } = await runCommand(['check'], withOtherKey);
      assert.match(err, /Warning: 1 destination with a secret that this node cannot open/);
      await other.stop();
      assert.deepEqual([body.destination.state, body.destination.stateReason], ['paused', 'copied']);
      const again = await openStorage(target.database, { poolSize: 1 });
      assert.ok((await again.read(findLastPosition)) > last);
      await again.close();
    });
  });

describe('a restored backup', () => {
  it('has its destinations paused', async (test) => {
    const source = await freshDatabase('sqlite');
    assert.equal(source.database.engine, 'sqlite');
    const { file } = source.database as { file: string };
    const backup = join(dirname(file), 'backup.db');
    test.after(() => source.remove());
    const app = await startApp('sqlite', SETTINGS, source);
    const made = { url: 'https://hooks.example.com/', types: ['*'] };
    await mustSucceed(app.admin('/createDestination', made));
    await app.stop();
    const environment = { LATCHKEY_DATA_DIR: dirname(file) };
    assert.equal((await runCommand(['backup', backup], environment)).code, 0);
    const restored = await runCommand(['restore', backup], environment);
    assert.match(restored.out, /Paused 1 destination/, restored.err);
    const active = async () => {
      const storage = await openStorage(source.database);
      const found = await storage.read((sql) => listInState(sql, 'active'));
      await storage.close();
      return found.length;
    };
    assert.equal(await active(), 0);
    const kept = await runCommand(['restore', '--keep-sending', backup], environment);
    assert.equal(kept.code, 0, kept.err);
    assert.doesNotMatch(kept.out, /Paused/);
    assert.equal(await active(), 1, 'with --keep-sending the destinations stay active');
  });
});
