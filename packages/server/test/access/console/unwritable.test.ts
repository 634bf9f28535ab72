/** A console can still read while the database accepts no writes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { ADMIN_SECRET, startApp } from '../../support/app.ts';
import { sessionIdOf, signIn, usedNow } from '../../support/console.ts';
import { freshDatabase } from '../../support/databases.ts';
import { LockHolder } from '../../support/lock-holder.ts';

// Only a file can be locked from outside; on PostgreSQL the same calls run in a read where a write is refused.
describe('a console on a SQLite file that another process keeps locked', () => {
  it('reads, though it cannot be kept that it does, and keeps it again when the file is free', async (test) => {
    const shared = await freshDatabase('sqlite');
    assert.ok(shared.database.engine === 'sqlite');
    const app = await startApp('sqlite', { LATCHKEY_LOG_LEVEL: 'fatal' }, shared, { lockTimeoutMs: 50 });
    test.after(async () => {
      await app.stop();
      await shared.remove();
    });
    const session = await signIn(app, { secret: ADMIN_SECRET });
    const { call } = session;
    const holder = await LockHolder.of(shared.database.file);
    app.clock.move(HOUR_MS);
    for (let asked = 0; asked < 3; asked++) assert.equal((await call('/listProducts')).status, 200);
    assert.equal((await call('/addNote', { licenseKey: 'ANY', text: 'note' })).status, 503);
    await holder.release();
    app.clock.move(MINUTE_MS);
    assert.equal((await call('/listProducts')).status, 200);
    await usedNow(app, sessionIdOf(session));
  });
});
