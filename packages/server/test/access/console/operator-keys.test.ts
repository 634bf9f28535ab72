import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashApiKey } from '../../../src/platform/endpoint/caller.ts';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { operatorKey, signIn } from '../../support/console.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`operator keys on ${engine}`, () => {
    const app = startedApp(engine);

    for (const role of ['owner', 'support', 'viewer'])
      it(`of the role ${role} sign in with it and with their name`, async () => {
        const { status, body } = await app.admin('/createOperatorKey', { name: `Bea of ${role}`, role });
        const { operatorKey: key, keyHash, ...rest } = body;
        assert.deepEqual([status, rest], [200, { success: true, name: `Bea of ${role}`, role, expiresAt: null }]);
        assert.match(key, /^lko_[\w-]{49}$/);
        assert.equal(keyHash, hashApiKey(key));
        const { answer } = await signIn(app, { secret: key, name: 'Somebody else' });
        const { kind, name, role: given, creatorId } = answer.body;
        assert.deepEqual([kind, name, given, creatorId], ['operator', `Bea of ${role}`, role, null]);
      });

    it('are the names of changes that are made with them', async () => {
      const licenseKey = await app.license();
      const { call } = await signIn(app, { secret: await operatorKey(app, 'support', 'Carol') });
      assert.equal((await call('/addNote', { licenseKey, text: 'Called me.' })).status, 200);
      const { body } = await app.admin('/listEvents', { licenseKey });
      assert.deepEqual(body.events[0].actor, { kind: 'operator', id: null, keyName: 'Carol' });
    });

    for (const name of ['admin', ' Admin ', 'admin (Ada)', 'ADMIN(Ada', 'admin\n(Ada)'])
      it(`are not called ${JSON.stringify(name)}, which events call those who give their names themselves`, async () => {
        const refused = await app.admin('/createOperatorKey', { name, role: 'viewer' });
        assertRefused(refused, 400, 'name must not be that of the admin secret');
      });

    it('may be called what only begins like it', async () => {
      assert.equal((await app.admin('/createOperatorKey', { name: 'Administrator', role: 'viewer' })).status, 200);
    });

    for (const [what, fields] of [
      ['there is no name', { role: 'viewer' }],
      ['there is no role', { name: 'Bea' }],
    ] as const)
      it(`400 when ${what}`, async () => {
        assertRefused(await app.admin('/createOperatorKey', fields), 400, 'Missing name or role');
      });

    it('400 for a role that there is not', async () => {
      const refused = await app.admin('/createOperatorKey', { name: 'Bea', role: 'admin' });
      assertRefused(refused, 400, 'role must be one of owner, support, viewer');
    });

    it('are a credential for signing in only', async () => {
      const key = await operatorKey(app, 'owner');
      for (const headers of [
        { 'x-admin-secret': key },
        { 'x-api-key': key },
        { authorization: `Bearer ${key}` },
      ] as const satisfies readonly Readonly<Record<string, string>>[])
        assert.equal((await app.send('/listProducts', {}, { headers })).status, 401);
    });

    it('are listed by their hashes, newest first and page by page, never raw', async () => {
      const keys: string[] = [];
      for (const name of ['First', 'Second', 'Third']) {
        app.clock.move(1);
        keys.push(await operatorKey(app, 'viewer', name));
      }
      const first = await app.admin('/listOperatorKeys', { limit: 2 });
      const createdAt = app.clock.at();
      const [third] = first.body.keys;
      assert.deepEqual(third, {
        keyHash: hashApiKey(keys[2] ?? ''),
        name: 'Third',
        role: 'viewer',
        active: true,
        createdAt,
        revokedAt: null,
        expiresAt: null,
        lastUsedAt: null,
      });
      assert.equal(first.body.count, 2);
      const second = await app.admin('/listOperatorKeys', { limit: 2, cursor: first.body.nextCursor });
      const names = [...first.body.keys, ...second.body.keys].map((each: { name: string }) => each.name);
      assert.deepEqual(names.slice(0, 3), ['Third', 'Second', 'First']);
      for (const key of keys) assert.ok(!JSON.stringify([first.body, second.body]).includes(key));
      const headers = { 'x-admin-secret': ADMIN_SECRET };
      const byQuery = await app.send('/listOperatorKeys?limit=1', undefined, { method: 'GET', headers });
      assert.deepEqual([byQuery.status, byQuery.body.keys], [200, [third]]);
    });

    it('are revoked by their hash, once, and are listed as not active then', async () => {
      const keyHash = hashApiKey(await operatorKey(app, 'viewer', 'Leaver'));
      const revoke = () => app.admin('/revokeOperatorKey', { keyHash });
      assert.deepEqual((await revoke()).body, { success: true, revoked: true });
      assert.deepEqual((await revoke()).body, { success: true, revoked: false });
      const { body } = await app.admin('/listOperatorKeys', {});
      const listed = body.keys.find((each: { keyHash: string }) => each.keyHash === keyHash);
      assert.deepEqual([listed.active, listed.revokedAt], [false, app.clock.at()]);
      const { body: events } = await app.admin('/listEvents', { types: ['operator_key.revoked'] });
      assert.deepEqual(events.events.filter((each: { subject: string }) => each.subject === keyHash).length, 1);
    });

    it('are found by their hash, revoked or not; an API key is not among them', async () => {
      const hash = hashApiKey(await operatorKey(app, 'viewer', 'Sought'));
      const find = async (sought: string) => (await app.admin('/listOperatorKeys', { hash: sought })).body;
      const { keys, count } = await find(hash);
      assert.deepEqual([count, keys[0].keyHash, keys[0].name, keys[0].active], [1, hash, 'Sought', true]);
      await app.admin('/revokeOperatorKey', { keyHash: hash });
      assert.equal((await find(hash)).keys[0].active, false);
      const { apiKey } = await Creator.of(app);
      assert.deepEqual(await find(hashApiKey(apiKey)), { success: true, keys: [], count: 0 });
    });

    it('404 for a hash that no operator key has, that of an API key included', async () => {
      const { apiKey } = await Creator.of(app);
      for (const keyHash of ['none', hashApiKey(apiKey)])
        assertRefused(await app.admin('/revokeOperatorKey', { keyHash }), 404, 'Operator key not found');
    });

    it('400 Missing keyHash', async () => {
      assertRefused(await app.admin('/revokeOperatorKey'), 400, 'Missing keyHash');
    });

    for (const path of ['/createOperatorKey', '/listOperatorKeys', '/revokeOperatorKey', '/listConsoleSessions'])
      it(`${path} is 401 without a credential and for an API key`, async () => {
        const { apiKey } = await Creator.of(app);
        for (const credential of [{}, { apiKey }]) assert.equal((await app.send(path, credential)).status, 401);
      });
  });
