/** The keys that sign license files, and their publication (rules 11.2). */
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Compile } from 'typebox/compile';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { rotateSigningKey } from '../../../src/licensing/license-files/signing-keys.ts';
import { keysSection } from '../../../src/runtime/reference/keys-section.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { type Answer, startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { expectedBy, fetchFile, payloadOf, readLicenseFile } from './reading.ts';

const JWKS = '/.well-known/jwks.json';
const KEY_LIST = '/.well-known/latchkey-keys.json';

const get = (app: TestApp, path: string): Promise<Answer> => app.send(path, undefined, { method: 'GET' });

interface PublicKey {
  readonly kid: string;
  readonly x: string;
}

/**
 * The keys that an app trusts after it has read the list, given the keys it trusted before, following the page's text.
 */
function followed(list: readonly string[], trusted: readonly PublicKey[], issuer: string): readonly PublicKey[] {
  for (const jws of list) {
    const [head = '', body = '', signature = ''] = jws.split('.');
    const header = JSON.parse(Buffer.from(head, 'base64url').toString());
    const key = trusted.find(({ kid }) => kid === header.kid);
    if (key === undefined) continue;
    assert.deepEqual([header.alg, header.typ], ['EdDSA', 'latchkey-keys+jwt']);
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' });
    assert.ok(verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url')));
    const payload = payloadOf(jws);
    assert.equal(payload.iss, issuer);
    return payload.keys;
  }
  return [];
}

/** Adds a key as the command does, at the app's present time. */
async function rotated({ database }: TestDatabase, app: TestApp, afterMs: number) {
  const storage = await openStorage(database);
  try {
    return await storage.transaction((tx) => rotateSigningKey(tx, app.clock.now(), afterMs));
  } finally {
    await storage.close();
  }
}

for (const engine of engines)
  describe(`the keys of license files on ${engine}`, () => {
    async function serve(test: TestContext) {
      const database = await freshDatabase(engine);
      const running = new Set<TestApp>();
      const stop = async (app: TestApp) => void (running.delete(app) && (await app.stop()));
      test.after(async () => {
        await Promise.all([...running].map(stop));
        await database.remove();
      });
      const start = async (environment: Readonly<Record<string, string>> = {}) => {
        const app = await startApp(engine, environment, database);
        running.add(app);
        return { app, stop: () => stop(app) };
      };
      return { database, start };
    }

    it('are published for tools and for apps, and may be kept for an hour', async (test) => {
      const { app } = await (await serve(test)).start();
      const { body, headers, status } = await get(app, JWKS);
      assert.equal(status, 200);
      const [key] = body.keys;
      assert.deepEqual(body.keys, [{ kty: 'OKP', crv: 'Ed25519', x: key.x, kid: key.kid, alg: 'EdDSA', use: 'sig' }]);
      assert.equal(createPublicKey({ key, format: 'jwk' }).asymmetricKeyType, 'ed25519');
      assert.equal(headers['cache-control'], 'max-age=3600');
      const list = await get(app, KEY_LIST);
      const { iss } = payloadOf(list.body.keys[0]);
      for (const { path, reply } of keysSection.endpoints)
        assert.ok(Compile(reply).Check((await get(app, path)).body), `${path} is as the reference says`);
      const { kid, x } = key;
      assert.deepEqual(followed(list.body.keys, [{ kid, x }], iss), [{ kid, x }]);
      assert.deepEqual(followed(list.body.keys, [], iss), []);
      assert.equal((await app.send(JWKS, {})).status, 405);
    });

    it('and the issuer survive a restart', async (test) => {
      const { start } = await serve(test);
      const first = await start();
      const machine = await new Machine(first.app, await first.app.license()).activated();
      const { licenseFile } = await mustSucceed(fetchFile(machine));
      const expected = await expectedBy(first.app, machine);
      await first.stop();
      const { app } = await start();
      const again = await expectedBy(app, machine);
      assert.deepEqual([again.issuer, again.publicKeys], [expected.issuer, expected.publicKeys]);
      assert.notEqual(readLicenseFile(licenseFile, again), null);
    });

    it('are followed over three rotations by an app that carries the first', async (test) => {
      const { database, start } = await serve(test);
      const { app } = await start();
      const machine = await new Machine(app, await app.license({ maxMachines: -1 })).activated();
      let { issuer, publicKeys } = await expectedBy(app, machine);
      const signers = new Set<string>();
      for (let rotation = 0; rotation < 3; rotation += 1) {
        const { keyId, signsFrom } = await rotated(database, app, 2 * DAY_MS);
        assert.equal(signsFrom, app.clock.at(2 * DAY_MS));
        app.clock.move(HOUR_MS);
        publicKeys = followed((await get(app, KEY_LIST)).body.keys, publicKeys, issuer);
        assert.ok(publicKeys.some(({ kid }) => kid === keyId));
        const before = await mustSucceed(fetchFile(machine));
        assert.notEqual(before.keyId, keyId, 'a new key does not sign before its time');
        signers.add(before.keyId);
        app.clock.move(2 * DAY_MS);
        const file = await mustSucceed(fetchFile(machine));
        assert.equal(file.keyId, keyId);
        const expected = { ...(await expectedBy(app, machine)), issuer, publicKeys };
        assert.notEqual(readLicenseFile(file.licenseFile, expected), null);
        assert.notEqual(readLicenseFile(before.licenseFile, expected), null, 'files of older keys stay good');
        signers.add(keyId);
      }
      assert.equal(signers.size, 4);
      assert.equal((await get(app, JWKS)).body.keys.length, 4);
    });

    it('are read by every node within a minute of a change', async (test) => {
      const { database, start } = await serve(test);
      const { app } = await start();
      await get(app, JWKS);
      await rotated(database, app, 0);
      app.clock.move(MINUTE_MS + 1);
      assert.equal((await get(app, JWKS)).body.keys.length, 2);
    });

    it("may be the operator's own: the first of a file signs, the others are published", async (test) => {
      const { start } = await serve(test);
      const { app: first, stop } = await start();
      const { issuer } = await expectedBy(first, new Machine(first, ''));
      await stop();
      const pairs = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
      const file = join(first.directory, '..', `keys-${engine}-${process.pid}.pem`);
      const pem = pairs.map(({ privateKey }) => privateKey.export({ format: 'pem', type: 'pkcs8' })).join('');
      await writeFile(file, pem, { mode: 0o600 });
      const { app } = await start({ LATCHKEY_SIGNING_KEY_FILE: file });
      const machine = await new Machine(app, await app.license()).activated();
      const expected = await expectedBy(app, machine);
      assert.equal(expected.issuer, issuer, 'the installation is the same');
      assert.deepEqual(
        expected.publicKeys.map(({ x }) => x),
        pairs.map(({ publicKey }) => publicKey.export({ format: 'jwk' }).x),
      );
      const { licenseFile, keyId } = await mustSucceed(fetchFile(machine));
      assert.equal(keyId, expected.publicKeys[0]?.kid);
      assert.notEqual(readLicenseFile(licenseFile, expected), null);
    });
  });
