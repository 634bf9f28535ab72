/** One server process per SQLite file: what it keeps in memory stays correct because nobody else writes. */
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { lockSqliteFile } from '../../src/storage/sqlite-file-lock.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { startServerProcess } from '../support/server-process.ts';

describe('the lock of a SQLite file', () => {
  it('lets no second server start, and a next one when the first was killed', async (test) => {
    const { database, remove } = await freshDatabase('sqlite');
    test.after(remove);
    assert.ok(database.engine === 'sqlite');
    const environment = { LATCHKEY_DATA_DIR: dirname(database.file) };
    const order = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' };

    const first = await startServerProcess(database, environment);
    await assert.rejects(startServerProcess(database, environment), {
      message: new RegExp(`another Latchkey server is using ${RegExp.escape(database.file)}; stop it, or`),
    });
    const issued = await first.send('/createLicense', order);
    assert.equal(issued.status, 200, 'the first goes on');
    await first.kill();

    const next = await startServerProcess(database, environment);
    test.after(() => next.stop());
    const { status } = await next.send('/verify', { licenseKey: issued.body.licenseKey, productId: 'app' });
    assert.equal(status, 200);
  });

  it('ends when it is released', async (test) => {
    const { database, remove } = await freshDatabase('sqlite');
    test.after(remove);
    assert.ok(database.engine === 'sqlite');
    const { file } = database;
    const fileLock = lockSqliteFile(file);
    assert.throws(() => lockSqliteFile(file), /another Latchkey server/);
    fileLock.release();
    lockSqliteFile(file).release();
  });

  it('says what is wrong when there is no place for it, and blames no other server', async (test) => {
    const { database, remove } = await freshDatabase('sqlite');
    test.after(remove);
    assert.ok(database.engine === 'sqlite');
    const file = join(dirname(database.file), 'nowhere', 'latchkey.db');
    assert.throws(() => lockSqliteFile(file), /unable to open database file/);
  });
});
