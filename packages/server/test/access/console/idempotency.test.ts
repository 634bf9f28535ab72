/** Safe retries in the console: a page may repeat a call that got no reply, even after signing in again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN_SECRET } from '../../support/app.ts';
import { operatorKey, PAGE_HEADERS, setCookieOf, signIn } from '../../support/console.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`an Idempotency-Key in the console on ${engine}`, () => {
    const app = startedApp(engine);

    it('gives the first answer again after a new sign-in with the same key, and to nobody else', async () => {
      const order = { email: 'ada@example.com', productId: 'app' };
      const headers = { 'idempotency-key': 'once' };
      const key = await operatorKey(app, 'owner', 'Bea');
      const issue = async (secret: string) =>
        (await (await signIn(app, { secret })).call('/createLicense', order, headers)).body.licenseKey;
      const first = await issue(key);
      assert.equal(await issue(key), first);
      const others = [await issue(await operatorKey(app, 'owner', 'Carol')), await issue(ADMIN_SECRET)];
      const direct = (await app.admin('/createLicense', order, { headers })).body.licenseKey;
      assert.equal(new Set([first, ...others, direct]).size, 4);
    });

    it('replays no answer to a session that has ended, or whose role does not allow the call', async () => {
      const headers = { 'idempotency-key': 'over' };
      const session = await signIn(app, { secret: await operatorKey(app, 'owner', 'Dan') });
      const body = { name: 'Eve', role: 'owner' };
      assert.equal((await session.call('/createOperatorKey', body, headers)).status, 200);
      await session.call('/endConsoleSession');
      const again = await session.call('/createOperatorKey', body, headers);
      assert.deepEqual([again.status, again.body.operatorKey], [401, undefined]);
    });

    it('is without effect on signing in: each sign-in is a session of its own', async () => {
      const headers = { ...PAGE_HEADERS, 'idempotency-key': 'sign-in' };
      const answers = [1, 2].map(() => app.send('/createConsoleSession', { secret: ADMIN_SECRET }, { headers }));
      const cookies = (await Promise.all(answers)).map(setCookieOf);
      assert.equal(new Set(cookies).size, 2);
      assert.ok(!cookies.includes(undefined));
    });
  });
