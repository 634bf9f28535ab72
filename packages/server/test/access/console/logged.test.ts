/** The log of sign-ins: it names the people, and holds nothing that would let anybody else in. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { deriveBindingKeys } from '../../../src/access/console/binding.ts';
import { makeSignInCode } from '../../../src/access/console/sign-in-code.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { PAGE_HEADERS, setCookieOf } from '../../support/console.ts';
import { freshDatabase } from '../../support/databases.ts';
import { startServerProcess } from '../../support/server-process.ts';

// Logging belongs to HTTP and is the same for every database.
describe('the log of the console', () => {
  it('names people, and holds no secret, key, code or cookie, wherever they were put', async () => {
    const shared = await freshDatabase('sqlite');
    assert.ok(shared.database.engine === 'sqlite');
    const directory = dirname(shared.database.file);
    const service = await startServerProcess(shared.database, {
      LATCHKEY_DATA_DIR: directory,
      LATCHKEY_LOG_LEVEL: 'debug',
    });
    const storage = await openStorage(shared.database);
    const code = await storage.transaction((tx) =>
      makeSignInCode(tx, systemClock(), deriveBindingKeys([ADMIN_SECRET])),
    );
    await storage.close();
    const { body } = await service.send('/createOperatorKey', {
      adminSecret: ADMIN_SECRET,
      name: 'Bea',
      role: 'owner',
    });
    const key = body.operatorKey as string;
    const guess = 'a-guess-that-might-be-nearly-right';
    const signIn = (fields: object) => service.send('/createConsoleSession', fields, { headers: PAGE_HEADERS });
    const signedIn = [await signIn({ secret: key }), await signIn({ code, name: 'Ada' })];
    const cookies = signedIn.map((answer) => setCookieOf(answer)?.split(';')[0] ?? '');
    for (const fields of [{ secret: guess }, { code }, { secret: [key] }])
      assert.equal((await signIn(fields)).status, 401);
    for (const cookie of cookies)
      await service.send('/addNote', { licenseKey: 'ANY', text: 'note' }, { headers: { ...PAGE_HEADERS, cookie } });
    await service.send(`/console/${code}`, undefined, { method: 'GET' });
    await service.send(`/createConsoleSession?secret=${key}`, {});
    await service.stop();
    await shared.remove();
    const lines = service.log.map((line) => JSON.stringify(line));
    assert.ok(lines.length > 8);
    for (const secret of [ADMIN_SECRET, key, code, guess, ...cookies.map((cookie) => cookie.split('=')[1] ?? '')]) {
      assert.ok(secret.length > 20);
      assert.deepEqual(
        lines.filter((line) => line.includes(secret)),
        [],
      );
    }
    const noted = service.log.filter(({ path }) => path === '/addNote');
    assert.deepEqual(
      noted.map(({ caller, keyName }) => [caller, keyName]),
      [
        ['operator', 'Bea'],
        ['operator', 'admin (Ada)'],
      ],
    );
  });
});
