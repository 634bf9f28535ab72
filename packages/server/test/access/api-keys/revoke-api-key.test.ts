import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { hashApiKey } from '../../../src/platform/endpoint/caller.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { noteKey } from '../../../src/webhooks/destinations/key-store.ts';
import { lockDestinations } from '../../../src/webhooks/destinations/turn-store.ts';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { besideOpenChange } from '../../support/lock-waits.ts';
import { startedApp } from '../../support/started-app.ts';

const UNAUTHORIZED = { success: false, error: 'Unauthorized' };
for (const engine of engines)
  describe(`/revokeApiKey on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests', LATCHKEY_DELIVERIES: 'off' });

    async function apiKey(creatorId: string): Promise<string> {
      return (await app.admin('/createApiKey', { creatorId, name: 'Key' })).body.apiKey;
    }
    async function isAccepted(key: string): Promise<boolean> {
      const { status } = await app.send('/listLicenses', { apiKey: key });
      assert.ok(status === 200 || status === 401);
      return status === 200;
    }

    it('revokes one key and leaves the creator the others', async () => {
      const [lost, kept] = [await apiKey('ada'), await apiKey('ada')];
      const { status, body } = await app.admin('/revokeApiKey', { apiKeyToRevoke: lost });
      assert.deepEqual([status, body], [200, { success: true, revoked: 1, destinations: 0 }]);
      assert.deepEqual([await isAccepted(lost), await isAccepted(kept)], [false, true]);
    });

    it('revokes every active key of a creator and nobody else', async () => {
      const hers = [await apiKey('grace'), await apiKey('grace'), await apiKey('grace')];
      const his = await apiKey('alan');
      await app.admin('/revokeApiKey', { apiKeyToRevoke: hers[0] });
      const { status, body } = await app.admin('/revokeApiKey', { creatorId: 'grace' });
      assert.deepEqual([status, body], [200, { success: true, revoked: 2, destinations: 0 }]);
      assert.deepEqual(await Promise.all(hers.map(isAccepted)), [false, false, false]);
      assert.ok(await isAccepted(his));
    });

    it('refuses a revoked key at once, for reads and for writes', async () => {
      for (let round = 0; round < 5; round++) {
        const revoked = await apiKey('hasty');
        assert.ok(await isAccepted(revoked));
        await app.admin('/revokeApiKey', { apiKeyToRevoke: revoked });
        const [read, write] = await Promise.all([
          app.send('/getLicense', { apiKey: revoked, licenseKey: 'ANY' }),
          app.send('/revokeLicense', { apiKey: revoked, licenseKey: 'ANY' }),
        ]);
        assert.deepEqual([read.status, read.body], [401, UNAUTHORIZED]);
        assert.deepEqual([write.status, write.body], [401, UNAUTHORIZED]);
      }
    });

    it('does not replay an earlier answer to a revoked key', async () => {
      const revoked = await apiKey('replaying');
      const request = { apiKey: revoked, licenseKey: 'ANY' };
      const options = { headers: { 'idempotency-key': 'asked-before' } };
      assert.equal((await app.send('/revokeLicense', request, options)).status, 404);
      await app.admin('/revokeApiKey', { apiKeyToRevoke: revoked });
      const answer = await app.send('/revokeLicense', request, options);
      assert.deepEqual([answer.status, answer.body], [401, UNAUTHORIZED]);
    });

    it('refuses a revoked key beside the right admin secret', async () => {
      const revoked = await apiKey('beside');
      await app.admin('/revokeApiKey', { apiKeyToRevoke: revoked });
      assert.equal((await app.admin('/listLicenses', { apiKey: revoked })).status, 401);
    });

    it('revokes a lost key by the hash that the list shows', async () => {
      const lost = await apiKey('forgetful');
      const { body } = await app.admin('/revokeApiKey', { apiKeyToRevoke: hashApiKey(lost) });
      assert.deepEqual(body, { success: true, revoked: 1, destinations: 0 });
      assert.ok(!(await isAccepted(lost)));
    });

    it('answers 0 for a key that is revoked already, and for a creator without active keys', async () => {
      const twice = await apiKey('twice');
      await app.admin('/revokeApiKey', { apiKeyToRevoke: twice });
      for (const mode of [{ apiKeyToRevoke: twice }, { creatorId: 'twice' }, { creatorId: 'nobody' }]) {
        const { status, body } = await app.admin('/revokeApiKey', mode);
        assert.deepEqual([status, body], [200, { success: true, revoked: 0, destinations: 0 }]);
      }
    });

    it('counts the destinations that a leaked key left behind or changed, and pauses them when asked', async () => {
      const [leaked, kept] = [await apiKey('shop'), await apiKey('shop')];
      const make = async (key: string, host: string) => {
        const asked = { apiKey: key, url: `https://${host}.example.com/`, types: ['*'] };
        return (await app.send('/createDestination', asked)).body.destinationId as string;
      };
      const [left, aimed, untouched] = [await make(leaked, 'left'), await make(kept, 'aimed'), await make(kept, 'own')];
      const elsewhere = 'https://thief.example.com/';
      await app.send('/updateDestination', { apiKey: leaked, destinationId: aimed, url: elsewhere });
      // The thief's address stays, although the owner's key changed the destination last.
      await app.send('/updateDestination', { apiKey: kept, destinationId: aimed, description: 'Shop' });
      const states = () =>
        Promise.all(
          [left, aimed, untouched].map(
            async (destinationId) => (await app.admin('/getDestination', { destinationId })).body.destination?.state,
          ),
        );
      const answers = async (fields: Readonly<Record<string, unknown>>) => {
        const { revoked, destinations } = (await app.admin('/revokeApiKey', fields)).body;
        return [revoked, destinations];
      };
      assert.deepEqual(await answers({ apiKeyToRevoke: leaked }), [1, 2]);
      assert.deepEqual(await states(), ['active', 'active', 'active']);
      assert.deepEqual(await answers({ apiKeyToRevoke: leaked, pauseDestinations: true }), [0, 2]);
      assert.deepEqual(await states(), ['paused', 'paused', 'active']);
      await app.admin('/deleteDestination', { destinationId: left });
      assert.deepEqual(await answers({ creatorId: 'shop', pauseDestinations: true }), [1, 2]);
      assert.deepEqual((await states()).slice(1), ['paused', 'paused']);
    });

    it('404 for a key that was never made', async () => {
      assertRefused(await app.admin('/revokeApiKey', { apiKeyToRevoke: 'lk_unknown' }), 404, 'API key not found');
    });

    for (const [what, fields] of [
      ['neither mode is chosen', {}],
      ['both are empty', { apiKeyToRevoke: '', creatorId: null }],
    ] as const)
      it(`400 when ${what}`, async () => {
        assertRefused(await app.admin('/revokeApiKey', fields), 400, 'Missing apiKeyToRevoke or creatorId');
      });

    it('400 for both modes at once, and revokes nothing', async () => {
      const kept = await apiKey('both');
      const { status, body } = await app.admin('/revokeApiKey', { apiKeyToRevoke: kept, creatorId: 'both' });
      assert.deepEqual([status, body.error], [400, 'Provide apiKeyToRevoke or creatorId, not both']);
      assert.ok(await isAccepted(kept));
    });
  });

// SQLite runs one transaction after the other.
describe('/revokeApiKey beside another change on postgres', () => {
  const app = startedApp('postgres', {
    LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests',
    LATCHKEY_DELIVERIES: 'off',
  });

  it('pauses a destination that the leaked key is changing at that moment', async (test) => {
    const { apiKey } = (await app.admin('/createApiKey', { creatorId: 'shop', name: 'Key' })).body;
    const made = { url: 'https://own.example.com/', types: ['*'] };
    const { destinationId } = (await app.admin('/createDestination', made)).body;
    const storage = await openStorage(app.database);
    test.after(() => storage.close());
    const revoked = await besideOpenChange(
      app.database,
      storage,
      async (tx) => {
        await lockDestinations(tx);
        await noteKey(tx, destinationId, hashApiKey(apiKey));
      },
      () => app.admin('/revokeApiKey', { apiKeyToRevoke: apiKey, pauseDestinations: true }),
    );
    assert.deepEqual(revoked.body, { success: true, revoked: 1, destinations: 1 });
    assert.equal((await app.admin('/getDestination', { destinationId })).body.destination.state, 'paused');
  });
});

for (const engine of engines)
  describe(`API key endpoints on ${engine}`, () => {
    let apiKey: string;
    const app = startedApp(engine, { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests', LATCHKEY_DELIVERIES: 'off' });
    before(async () => {
      apiKey = (await app.admin('/createApiKey', { creatorId: 'ada', name: 'Key' })).body.apiKey;
    });

    for (const [path, fields] of [
      ['/createApiKey', { creatorId: 'ada', name: 'Another' }],
      ['/listApiKeys', { creatorId: 'ada' }],
      ['/revokeApiKey', { creatorId: 'ada' }],
    ] as const) {
      it(`${path} is 401 for an API key, even for its own creator`, async () => {
        const answer = await app.send(path, { ...fields, apiKey });
        assert.deepEqual([answer.status, answer.body], [401, UNAUTHORIZED]);
        assert.equal((await app.send('/listLicenses', { apiKey })).status, 200);
      });

      it(`${path} is 401 without a credential, before anything is said about fields`, async () => {
        const answer = await app.send(path, {});
        assert.deepEqual([answer.status, answer.body], [401, UNAUTHORIZED]);
      });

      it(`${path} is 401 for an API key shown as the admin secret`, async () => {
        assert.equal((await app.send(path, { ...fields, adminSecret: apiKey })).status, 401);
      });
    }

    it('takes the right admin secret with an active API key beside it', async () => {
      const answer = await app.send('/listApiKeys', { adminSecret: ADMIN_SECRET, apiKey });
      assert.equal(answer.status, 200);
    });
  });
