import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveBindingKeys } from '../../../src/access/console/binding.ts';
import { makeSignInCode } from '../../../src/access/console/sign-in-code.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import { statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { ADMIN_SECRET, startApp } from '../../support/app.ts';
import { signIn } from '../../support/console.ts';
import { engines } from '../../support/databases.ts';
import { tidy } from '../../support/tidy.ts';

const countAll = statement(
  'test_console_rows.count',
  `select (select count(*) from console_session) as "sessions", (select count(*) from sign_in_code) as "codes"`,
);

for (const engine of engines)
  describe(`stored data of the console on ${engine}`, () => {
    it('is removed a day after a session ended by itself, and an hour after a code was good', async (test) => {
      const app = await startApp(engine);
      const storage = await openStorage(app.database);
      test.after(async () => {
        await storage.close();
        await app.stop();
      });
      await signIn(app, { secret: ADMIN_SECRET });
      const kept = await signIn(app, { secret: ADMIN_SECRET, keep: true });
      await storage.transaction((tx) => makeSignInCode(tx, app.clock.now(), deriveBindingKeys([ADMIN_SECRET])));
      const left = async (days: number) => {
        await tidy(
          storage,
          believingEvery(() => app.clock.now() + days * DAY_MS),
          { pauseMs: 0 },
        );
        return storage.read((sql) => sql.first(countAll));
      };
      assert.deepEqual(await left(0), { sessions: 2, codes: 1 });
      assert.deepEqual(await left(1.5), { sessions: 2, codes: 0 });
      assert.deepEqual(await left(2.5), { sessions: 1, codes: 0 });
      app.clock.move(2.5 * DAY_MS);
      assert.equal((await kept.call('/getConsoleSession')).status, 200);
    });
  });
