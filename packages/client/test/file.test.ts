/** Valid and invalid license files. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { compactVerify, importJWK } from 'jose';
import { type BadLicenseFileReason, type ReadOptions, readLicenseFile } from '../src/file.ts';
import { webCryptoVerify } from '../src/license-file.ts';
import { followKeyLists } from '../src/signing-keys.ts';
import { armoured, encoded, hashOf, ISSUER, jwsIn, SigningKey } from './support/license-files.ts';

const key = new SigningKey('k1');
const stranger = new SigningKey('k1');
const IAT = 1_800_000_000;
const NOW = IAT * 1000 + 60_000;

function read(text: string, changes: Partial<ReadOptions> = {}) {
  const publicKeys = [key.publicKey];
  return readLicenseFile(text, {
    publicKeys,
    issuer: ISSUER,
    productId: 'app',
    fingerprint: 'f',
    now: NOW,
    ...changes,
  });
}

function isRefused(text: string, reason: BadLicenseFileReason, changes?: Partial<ReadOptions>) {
  return assert.rejects(read(text, changes), { name: 'BadLicenseFile', reason });
}

describe('a license file', () => {
  const file = key.file({ iat: IAT, fp: hashOf('f'), exp: IAT + 3600 });

  it('is read with its contents', async () => {
    const claims = await read(file);
    assert.equal(claims.productId, 'app');
    assert.equal(claims.fp, hashOf('f'));
    assert.equal(claims.exp, IAT + 3600);
  });

  it('is a JWS that other libraries verify as well', async () => {
    const jws = jwsIn(file);
    const { x } = key.publicKey;
    const { payload } = await compactVerify(jws, await importJWK({ kty: 'OKP', crv: 'Ed25519', x }, 'EdDSA'));
    assert.equal(JSON.parse(Buffer.from(payload).toString()).jti, (await read(file)).jti);
  });

  it('survives changes by mail programs and editors', async () => {
    for (const text of [
      file.replaceAll('\n', '\r\n'),
      `\uFEFF${file}`,
      `\n\n  ${file.replaceAll('\n', '\n  ')}  \n`,
      file.replace(/-----.*-----/g, ''),
      key.file({ iat: IAT }, { alg: 'Ed25519' }),
    ])
      await read(text);
  });

  it('is refused with any single letter changed', async () => {
    const jws = jwsIn(file);
    for (let at = 0; at < jws.length; at++) {
      const letter = jws[at] === 'A' ? 'B' : 'A';
      const changed = jws.slice(0, at) + letter + jws.slice(at + 1);
      await assert.rejects(read(changed), { name: 'BadLicenseFile' }, `letter ${at}`);
    }
  });

  it('is refused in another spelling of the same signature', async () => {
    const jws = key.jws({ any: 'payload' });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(jws.at(-1) as string);
    await isRefused(jws.slice(0, -1) + alphabet[last + 1], 'format');
  });

  it('is refused cut off, doubled, too large or empty', async () => {
    for (let length = 0; length < file.length; length += 7)
      await assert.rejects(read(file.slice(0, length)), { name: 'BadLicenseFile' });
    await isRefused(file + file, 'format');
    await isRefused('A'.repeat(70_000), 'format');
    await read(file.padEnd(65_536));
    await isRefused(file.padEnd(65_537), 'format');
  });

  it('is refused from another key, with any contents', async () => {
    await isRefused(stranger.file({ iat: IAT }), 'signature');
    await isRefused(new SigningKey('k2').file({ iat: IAT }), 'key');
    const { x } = stranger.publicKey;
    const jwk = { kty: 'OKP', crv: 'Ed25519', x };
    await isRefused(stranger.file({ iat: IAT }, { jwk, jku: 'https://attacker.example/keys' }), 'signature');
  });

  it('is refused with another algorithm, also one that takes the public key for a secret', async () => {
    const payload = encoded({ v: 1 });
    const none = `${encoded({ alg: 'none', typ: 'latchkey-license+jwt', kid: 'k1' })}.${payload}.`;
    await isRefused(none, 'format');
    const head = encoded({ alg: 'HS256', typ: 'latchkey-license+jwt', kid: 'k1' });
    const mac = createHmac('sha256', Buffer.from(key.publicKey.x, 'base64url')).update(`${head}.${payload}`);
    await isRefused(`${head}.${payload}.${mac.digest('base64url')}`, 'algorithm');
  });

  it('is refused of another kind, version, service, product and machine', async () => {
    await isRefused(armoured(key.keyList(key)), 'type');
    await isRefused(key.file({ iat: IAT, v: 2 as 1 }), 'claims');
    await isRefused(key.file({ iat: IAT, exp: '2030' as unknown as number }), 'claims');
    await isRefused(key.file({ iat: IAT, purpose: 'other' as 'grace' }), 'claims');
    for (const claim of ['exp', 'licenseExpiresAt', 'fp'])
      await isRefused(key.file({ iat: IAT, [claim]: undefined }), 'claims');
    await isRefused(key.file({ iat: IAT, fp: 7 as unknown as string }), 'claims');
    await isRefused(key.file({ iat: IAT, iss: 'urn:latchkey:another' }), 'issuer');
    await isRefused(key.file({ iat: IAT, products: ['other'] }), 'product');
    await isRefused(key.file({ iat: IAT, fp: hashOf('g') }), 'machine');
    await read(key.file({ iat: IAT, products: ['other', 'app'] }));
  });

  it('counts until the second that it names, and for ever without one', async () => {
    const text = key.file({ iat: IAT, exp: IAT + 100 });
    await read(text, { now: (IAT + 100) * 1000 - 1 });
    await isRefused(text, 'expired', { now: (IAT + 100) * 1000 });
    await read(text, { now: null });
    await read(key.file({ iat: IAT, exp: null }), { now: 4e12 });
  });

  it('is read with a type of license that the app does not know', async () => {
    const { licenseType } = await read(key.file({ iat: IAT, licenseType: 'metered' }));
    assert.equal(licenseType, 'metered');
    await isRefused(key.file({ iat: IAT, licenseType: 7 as unknown as string }), 'claims');
  });

  it('can be read for any machine by a tool that says so', async () => {
    assert.equal((await read(file, { fingerprint: null })).fp, hashOf('f'));
  });
});

describe('signing keys', () => {
  it('are followed from a compiled-in one over two rotations, in any order of the lists', async () => {
    const [first, second, third] = [new SigningKey('a'), new SigningKey('b'), new SigningKey('c')];
    const lists = [second.keyList(first, second, third), first.keyList(first, second)];
    const followed = await followKeyLists([first.publicKey], ISSUER, lists, webCryptoVerify);
    assert.deepEqual(
      followed.keys.map(({ kid }) => kid),
      ['a', 'b', 'c'],
    );
    assert.equal(followed.lists.length, 2);
  });

  it('are not taken from a list of a stranger, of another service, or from a file', async () => {
    const other = new SigningKey('other');
    for (const list of [
      other.keyList(other),
      stranger.keyList(other),
      key.jws({ iss: 'urn:latchkey:another', keys: [other.publicKey] }, { typ: 'latchkey-keys+jwt' }),
      key.jws({ iss: ISSUER, keys: [other.publicKey] }),
      'nonsense',
    ])
      assert.deepEqual(await followKeyLists([key.publicKey], ISSUER, [list], webCryptoVerify), {
        keys: [key.publicKey],
        lists: [],
      });
  });

  it('never replace a compiled-in one of the same name', async () => {
    const followed = await followKeyLists([key.publicKey], ISSUER, [key.keyList(stranger)], webCryptoVerify);
    assert.deepEqual(followed.keys, [key.publicKey]);
  });
});
