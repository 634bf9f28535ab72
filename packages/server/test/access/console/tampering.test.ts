/** Write access to the database without the admin secret gives nobody a session. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bindingOf, deriveBindingKeys } from '../../../src/access/console/binding.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { hashApiKey } from '../../../src/platform/endpoint/caller.ts';
import { type Statement, statement } from '../../../src/storage/contract/storage.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { operatorKey, PAGE_HEADERS, type SignedIn, sessionIdOf, signIn } from '../../support/console.ts';
import { engines } from '../../support/databases.ts';
import { startedWithStorage } from '../../support/started-app.ts';

const raiseRole = statement('test_tamper.role', `update console_session set role = 'owner' where session_id = $1`);
const prolong = statement('test_tamper.end', 'update console_session set expires_at = $2 where session_id = $1');
const rename = statement('test_tamper.name', `update console_session set name = 'Somebody' where session_id = $1`);
const freeOfKey = statement('test_tamper.source', `update console_session set source = 'admin' where session_id = $1`);
const makeOperator = statement(
  'test_tamper.kind',
  `update console_session set kind = 'operator', role = 'owner', source = 'admin' where session_id = $1`,
);
const copy = statement(
  'test_tamper.copy',
  `insert into console_session select $2, kind, role, source, creator_id, name, binding, is_kept, created_at,
     last_seen_at, expires_at, address, user_agent from console_session where session_id = $1`,
);
const insertCode = statement(
  'test_tamper.code',
  'insert into sign_in_code (hash, binding, expires_at) values ($1, $2, $3)',
);

for (const engine of engines)
  describe(`a console session whose row was tampered with on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    const statusOf = async ({ call }: SignedIn) => (await call('/getConsoleSession')).status;

    for (const [what, tamper, values] of [
      ['has another role', raiseRole, () => []],
      ['lasts longer', prolong, () => [app.clock.at(900 * DAY_MS)]],
      ['has another name', rename, () => []],
      ['does not depend on its key any more', freeOfKey, () => []],
    ] as const satisfies readonly (readonly [string, Statement, () => string[]])[])
      it(`is over when it ${what}`, async () => {
        const session = await signIn(app, { secret: await operatorKey(app, 'viewer') });
        assert.equal(await statusOf(session), 200);
        await storage.transaction((tx) => tx.run(tamper, sessionIdOf(session), ...values()));
        assert.equal(await statusOf(session), 401);
      });

    it('is over when it was made an operator of a creator', async () => {
      const { body } = await app.admin('/createApiKey', { creatorId: 'curious', name: 'key' });
      const session = await signIn(app, { secret: body.apiKey });
      await storage.transaction((tx) => tx.run(makeOperator, sessionIdOf(session)));
      assert.equal(await statusOf(session), 401);
    });

    it('opens nothing as a copy under the id of a cookie of choice', async () => {
      const session = await signIn(app, { secret: ADMIN_SECRET });
      const chosen = 'c'.repeat(43);
      await storage.transaction((tx) => tx.run(copy, sessionIdOf(session), hashApiKey(chosen)));
      const headers = { ...PAGE_HEADERS, cookie: `__Host-latchkey=${chosen}` };
      assert.equal((await app.send('/getConsoleSession', {}, { headers })).status, 401);
      assert.equal(await statusOf(session), 200);
    });

    it('is not begun by a code that was put into the database', async () => {
      const expiresAt = app.clock.at(60_000);
      await storage.transaction((tx) => tx.run(insertCode, hashApiKey('code of choice'), 'binding', expiresAt));
      assert.equal((await app.send('/createConsoleSession', { code: 'code of choice' })).status, 401);
    });
  });

describe('the binding of a session to the admin secret', () => {
  it('is the same in every version, so that an update signs nobody out', () => {
    const [key] = deriveBindingKeys(['an admin secret']);
    assert.equal(bindingOf(key!, ['a fact', null]), 'Ld3bu_LxiOOyS8C2w5isYwgv3JO-Rb-Cg8M_TXVPoAE');
  });
});
