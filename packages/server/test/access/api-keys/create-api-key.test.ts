import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { assertRefused } from '../../support/answers.ts';
import { startApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`/createApiKey on ${engine}`, () => {
    const app = startedApp(engine);

    it('answers a raw key that opens the admin endpoints at once', async () => {
      const { status, body } = await app.admin('/createApiKey', { creatorId: 'ada', name: 'Build server' });
      assert.equal(status, 200);
      const { apiKey, ...rest } = body;
      assert.deepEqual(rest, { success: true, name: 'Build server', creatorId: 'ada' });
      assert.equal((await app.send('/listLicenses', { apiKey })).status, 200);
    });

    it('makes keys that a scanner recognises by their pattern and checksum', async () => {
      const { apiKey } = (await app.admin('/createApiKey', { creatorId: 'ada', name: 'Scanned' })).body;
      const [, secret = '', checksum = ''] = /^lk_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/.exec(apiKey) ?? [];
      assert.equal(Buffer.from(secret, 'base64url').length, 32);
      assert.equal(Buffer.from(checksum, 'base64url').readUInt32BE(), crc32(secret));
    });

    it('makes another key each time', async () => {
      const order = { creatorId: 'grace', name: 'Same name' };
      const keys = await Promise.all(Array.from({ length: 5 }, () => app.admin('/createApiKey', order)));
      assert.equal(new Set(keys.map(({ body }) => body.apiKey)).size, 5);
    });

    it('shows the same key again to a retry with the same Idempotency-Key', async () => {
      const order = { creatorId: 'ada', name: 'Retried' };
      const options = { headers: { 'idempotency-key': 'retry-1' } };
      const first = await app.admin('/createApiKey', order, options);
      const second = await app.admin('/createApiKey', order, options);
      assert.deepEqual([first.status, second.status], [200, 200]);
      assert.equal(first.body.apiKey, second.body.apiKey);
    });

    for (const [what, order] of [
      ['creatorId is absent', { name: 'Key' }],
      ['name is absent', { creatorId: 'ada' }],
      ['creatorId is empty', { creatorId: '', name: 'Key' }],
      ['name is null', { creatorId: 'ada', name: null }],
    ] as const)
      it(`400 when ${what}`, async () => {
        assertRefused(await app.admin('/createApiKey', order), 400, 'Missing creatorId or name');
      });

    it('400 names a field of a wrong type', async () => {
      const answer = await app.admin('/createApiKey', { creatorId: 7, name: 'Key' });
      assertRefused(answer, 400, 'creatorId must be a string of at most 255 characters');
    });

    it('405 for GET, which would put the key into histories and proxies', async () => {
      const answer = await app.send('/createApiKey', undefined, { method: 'GET' });
      assert.deepEqual([answer.status, answer.headers.allow], [405, 'POST']);
    });
  });

describe('/createApiKey and the database file', () => {
  it('leaves neither the raw key nor its secret part in it', async (test) => {
    const app = await startApp('sqlite');
    test.after(() => app.stop());
    const options = { headers: { 'idempotency-key': 'kept-nowhere' } };
    const { apiKey } = (await app.admin('/createApiKey', { creatorId: 'ada', name: 'Sought' }, options)).body;
    assert.equal(app.database.engine, 'sqlite');
    const { file } = app.database as { file: string };
    const stored = Buffer.concat([await readFile(file), await readFile(`${file}-wal`)]);
    assert.ok(stored.includes('Sought'), 'the key is not stored yet, so this test would see nothing');
    assert.ok(!stored.includes(apiKey.slice(3, 46)));
  });
});
