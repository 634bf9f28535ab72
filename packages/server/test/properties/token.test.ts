/** Session tokens: their claims are read back unchanged, and a token that was changed is refused. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS } from '../../src/ground/base/clock.ts';
import { mintId, mintSecret } from '../../src/ground/base/random.ts';
import {
  claimsFor,
  isOfLicense,
  isOfMachine,
  keyIdOf,
  prepareKey,
  readToken,
  signToken,
} from '../../src/licensing/session-tokens/token.ts';
import { moment } from './arbitraries.ts';

const newKey = () => prepareKey({ keyId: mintId(), secret: mintSecret(32), signsFrom: '' });
const key = newKey();
const keys = new Map([[key.keyId, key]]);
const lifetime = fc.integer({ min: 60_000, max: 366 * DAY_MS });
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });

describe('a session token', () => {
  it('keeps the answer of the server until it expires', () => {
    fc.assert(
      fc.property(text, text, text, moment, lifetime, (activationId, licenseKey, fingerprint, now, lifetimeMs) => {
        const claims = claimsFor(activationId, licenseKey, fingerprint, now, lifetimeMs);
        const token = signToken(claims, key);
        assert.equal(keyIdOf(token, keys), key.keyId);
        assert.deepEqual(readToken(token, key, now), claims);
        assert.deepEqual(readToken(token, key, claims.exp * 1000 - 1), claims);
        assert.equal(readToken(token, key, claims.exp * 1000), null);
        // Whole seconds: never longer than the lifetime, never two seconds shorter.
        const livesMs = claims.exp * 1000 - now;
        assert.ok(livesMs <= lifetimeMs && livesMs > lifetimeMs - 2000);
      }),
    );
  });

  it('is of its license and its machine, and of no other', () => {
    fc.assert(
      fc.property(text, text, text, (licenseKey, fingerprint, other) => {
        const claims = claimsFor('a', licenseKey, fingerprint, 0, DAY_MS);
        assert.ok(isOfLicense(claims, licenseKey) && isOfMachine(claims, fingerprint));
        assert.equal(isOfLicense(claims, other), other === licenseKey);
        assert.equal(isOfMachine(claims, other), other === fingerprint);
      }),
    );
  });

  it('reveals neither the license key nor the fingerprint', () => {
    const claims = claimsFor('a', 'ABCDE-FGHJK', 'fingerprint-of-a-machine', 0, DAY_MS);
    const shown = Buffer.from(signToken(claims, key).split('.')[1] ?? '', 'base64url').toString();
    assert.ok(!shown.includes('ABCDE') && !shown.includes('fingerprint-of'));
  });

  it('is refused when any one character was changed', () => {
    const token = signToken(claimsFor('activation', 'K', 'm', 0, DAY_MS), key);
    const character = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(fc.nat(token.length - 1), character, (index, changed) => {
        fc.pre(token[index] !== changed);
        const forged = token.slice(0, index) + changed + token.slice(index + 1);
        assert.equal(readToken(forged, key, 0), null);
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused when it was cut short, or when something was put in', () => {
    const token = signToken(claimsFor('activation', 'K', 'm', 0, DAY_MS), key);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom('.', 'A', 'AAAA', '.A.'), (index, added) => {
        assert.equal(readToken(token.slice(0, index), key, 0), null);
        assert.equal(readToken(token.slice(0, index) + added + token.slice(index), key, 0), null);
      }),
    );
  });

  it('is refused when another key signed it, even one that took the same id', () => {
    const claims = claimsFor('activation', 'K', 'm', 0, DAY_MS);
    assert.equal(readToken(signToken(claims, newKey()), key, 0), null);
    const impostor = prepareKey({ keyId: key.keyId, secret: mintSecret(32), signsFrom: '' });
    assert.equal(readToken(signToken(claims, impostor), key, 0), null);
  });

  it('that is any text at all is refused without a fuss', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.json().map((json) => `${Buffer.from(json).toString('base64url')}.e30.AA`),
    );
    fc.assert(
      fc.property(anything, (given) => {
        assert.ok(typeof keyIdOf(given, keys) === 'string' || keyIdOf(given, keys) === null);
        assert.equal(readToken(given, key, 0), null);
        assert.equal(readToken(key.headerPart + given, key, 0), null);
      }),
    );
  });

  it('without a signature, or signed "none", is refused', () => {
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT', kid: key.keyId })).toString('base64url');
    const [, claims] = signToken(claimsFor('activation', 'K', 'm', 0, DAY_MS), key).split('.');
    for (const forged of [`${none}.${claims}.`, `${key.headerPart}${claims}.`, `${key.headerPart}${claims}`])
      assert.equal(readToken(forged, key, 0), null);
  });
});
