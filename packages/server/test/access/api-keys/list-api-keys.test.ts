import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashApiKey } from '../../../src/platform/endpoint/caller.ts';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { pagesOf } from '../../support/pages.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`/listApiKeys on ${engine}`, () => {
    const app = startedApp(engine);

    async function apiKey(creatorId: string, name: string): Promise<string> {
      return (await app.admin('/createApiKey', { creatorId, name })).body.apiKey;
    }

    it('shows hashes, never raw keys', async () => {
      const raw = await apiKey('hashed', 'Shown by hash');
      const { body } = await app.admin('/listApiKeys', { creatorId: 'hashed' });
      const shown = {
        hash: hashApiKey(raw),
        name: 'Shown by hash',
        creatorId: 'hashed',
        active: true,
        createdAt: app.clock.at(),
        revokedAt: null,
      };
      assert.deepEqual(body, { success: true, keys: [shown], count: 1 });
      assert.ok(!JSON.stringify(body).includes(raw));
    });

    it('lists newest first, revoked ones too', async () => {
      const oldest = await apiKey('ordered', 'oldest');
      app.clock.move(1);
      await apiKey('ordered', 'middle');
      app.clock.move(1);
      await apiKey('ordered', 'newest');
      await app.admin('/revokeApiKey', { apiKeyToRevoke: oldest });
      const { keys } = (await app.admin('/listApiKeys', { creatorId: 'ordered' })).body;
      assert.deepEqual(
        keys.map(({ name, active }: { name: string; active: boolean }) => [name, active]),
        [
          ['newest', true],
          ['middle', true],
          ['oldest', false],
        ],
      );
    });

    it('shows the time of a revocation, of one key or of all keys of a creator', async () => {
      const named = await apiKey('revoked', 'named');
      await apiKey('revoked', 'with all');
      app.clock.move(1000);
      const first = app.clock.at();
      await app.admin('/revokeApiKey', { apiKeyToRevoke: named });
      app.clock.move(1000);
      await app.admin('/revokeApiKey', { apiKeyToRevoke: named });
      await app.admin('/revokeApiKey', { creatorId: 'revoked' });
      const { keys } = (await app.admin('/listApiKeys', { creatorId: 'revoked' })).body;
      const moments = keys.map((key: { name: string; revokedAt: string }) => [key.name, key.revokedAt]);
      assert.deepEqual(Object.fromEntries(moments), { named: first, 'with all': app.clock.at() });
    });

    describe('by hash', () => {
      it('finds the one key with it, revoked or not, among those of all creators', async () => {
        const raw = await apiKey('sought', 'Leaked');
        await apiKey('sought', 'Another');
        const hash = hashApiKey(raw);
        const find = async (fields = {}) => (await app.admin('/listApiKeys', { hash, ...fields })).body;
        const { keys, ...rest } = await find();
        assert.deepEqual(rest, { success: true, count: 1 });
        assert.deepEqual([keys[0].hash, keys[0].name, keys[0].active], [hash, 'Leaked', true]);
        await app.admin('/revokeApiKey', { apiKeyToRevoke: hash });
        const [revoked] = (await find({ limit: 1 })).keys;
        assert.deepEqual([revoked.active, revoked.revokedAt], [false, app.clock.at()]);
        const headers = { 'x-admin-secret': ADMIN_SECRET };
        const byQuery = await app.send(`/listApiKeys?hash=${hash}`, undefined, { method: 'GET', headers });
        assert.deepEqual(byQuery.body.keys, [revoked]);
      });

      it("finds nothing for an unknown hash, for another creator's key, and on a later page", async () => {
        const hash = hashApiKey(await apiKey('apart', 'Key'));
        await apiKey('apart', 'Next');
        const { nextCursor } = (await app.admin('/listApiKeys', { creatorId: 'apart', limit: 1 })).body;
        const nothing = { success: true, keys: [], count: 0 };
        for (const fields of [
          { hash: hashApiKey('lk_none') },
          { hash, creatorId: 'another' },
          { hash, creatorId: 'apart', cursor: nextCursor },
        ])
          assert.deepEqual((await app.admin('/listApiKeys', fields)).body, nothing);
        assert.equal((await app.admin('/listApiKeys', { hash, creatorId: 'apart' })).body.count, 1);
      });

      for (const path of ['/listApiKeys', '/listOperatorKeys'])
        it(`400 from ${path} for a value that is no hash, such as a raw key`, async () => {
          const raw = await apiKey('formed', 'Key');
          for (const hash of [raw, hashApiKey(raw).toUpperCase(), hashApiKey(raw).slice(1), `${hashApiKey(raw)}0`])
            assertRefused(await app.admin(path, { hash }), 400, 'hash must be 64 hexadecimal digits in lower case');
        });
    });

    it('lists the keys of all creators when none is named', async () => {
      await apiKey('one', 'Key');
      await apiKey('another', 'Key');
      const { keys, count } = (await app.admin('/listApiKeys')).body;
      const creators = new Set(keys.map((key: { creatorId: string }) => key.creatorId));
      assert.ok(creators.has('one') && creators.has('another'));
      assert.equal(count, keys.length);
    });

    it('answers an empty list for a creator without keys', async () => {
      const { status, body } = await app.admin('/listApiKeys', { creatorId: 'nobody' });
      assert.deepEqual([status, body], [200, { success: true, keys: [], count: 0 }]);
    });

    it('walks pages by cursor, each key once, also among keys of the same millisecond', async () => {
      await Promise.all(Array.from({ length: 5 }, (_, index) => apiKey('paged', `key ${index}`)));
      const pages = await pagesOf(app.admin, '/listApiKeys', { creatorId: 'paged', limit: 2 }, 'keys');
      for (const page of pages) assert.ok(page.length >= 1 && page.length <= 2);
      const names = pages.flat().map(({ name }) => name);
      assert.deepEqual(names.sort(), ['key 0', 'key 1', 'key 2', 'key 3', 'key 4']);
    });

    it('has no nextCursor when the last page is full', async () => {
      await Promise.all([apiKey('full', 'a'), apiKey('full', 'b')]);
      const { body } = await app.admin('/listApiKeys', { creatorId: 'full', limit: 2 });
      assert.deepEqual([body.count, body.nextCursor], [2, undefined]);
    });

    it('takes its fields from the query of a GET', async () => {
      await apiKey('queried', 'Key');
      const path = `/listApiKeys?adminSecret=${ADMIN_SECRET}&creatorId=queried&limit=1`;
      const { status, body } = await app.send(path, undefined, { method: 'GET' });
      assert.deepEqual([status, body.count], [200, 1]);
    });

    for (const limit of [0, -1, 1001, 1.5, '10'])
      it(`400 for a limit of ${JSON.stringify(limit)}`, async () => {
        assertRefused(await app.admin('/listApiKeys', { limit }), 400, 'limit must be a whole number from 1 to 1000');
      });

    it('400 for a cursor that is none', async () => {
      const { status, body } = await app.admin('/listApiKeys', { cursor: 'bogus' });
      assert.deepEqual([status, body.error], [400, 'cursor is not the nextCursor of an earlier answer']);
    });
  });
