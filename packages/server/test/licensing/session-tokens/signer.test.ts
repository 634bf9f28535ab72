/** The signatures of session tokens are those of node:crypto's HMAC-SHA256. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { signerWith } from '../../../src/licensing/session-tokens/signer.ts';

/** Lengths around the room for a text, and texts of one to four bytes for each character. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.integer({ min: 1000, max: 1100 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 300, max: 400 }).map((length) => '\u20ac'.repeat(length)),
);

describe('a signature of a session token', () => {
  it('is the one of node:crypto, for keys of up to 64 bytes and any text', () => {
    const keys = fc.uint8Array({ maxLength: 64 });
    fc.assert(
      fc.property(keys, fc.array(texts, { minLength: 1, maxLength: 5 }), (key, ofKey) => {
        const sign = signerWith(key);
        for (const text of ofKey) assert.equal(sign(text), createHmac('sha256', key).update(text).digest('base64url'));
      }),
    );
  });

  it('needs a key of at most 64 bytes', () => {
    assert.throws(() => signerWith(new Uint8Array(65)), /a key of 65 bytes is longer than 64/);
  });
});
