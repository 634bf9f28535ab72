import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorOf } from '../src/check.ts';

describe('checking an answer', () => {
  it('accepts an answer with the expected fields and any others', () => {
    assert.equal(errorOf({ valid: true, expiresAt: null }, 200, '{"valid":true,"expiresAt":null,"more":1}'), null);
  });

  it('rejects another status with the error in the body', () => {
    const error = errorOf({ success: true }, 429, '{"success":false,"error":"Too many activation attempts."}');
    assert.equal(error, 'status 429: Too many activation attempts.');
    assert.equal(errorOf({}, 502, '<html>'), 'status 502');
  });

  it('finds a field wrong that differs or is absent', () => {
    assert.equal(errorOf({ status: 'active' }, 200, '{"status":"revoked"}'), 'status is "revoked" instead of "active"');
    assert.equal(errorOf({ machinesUsed: 1 }, 200, '{}'), 'machinesUsed is undefined instead of 1');
  });

  it('does not show tokens and keys', () => {
    const error = errorOf({ token: 'secret-1' }, 200, '{"token":"secret-2"}');
    assert.ok(error !== null && !/secret/.test(error), String(error));
  });

  it('finds a body wrong that is no JSON object', () => {
    for (const body of ['', 'null', '"text"', '{"valid":tr']) {
      assert.equal(errorOf({}, 200, body), 'the body is not a JSON object');
    }
  });

  it('compares a whole body to the byte', () => {
    assert.equal(errorOf('{"a":1}', 200, '{"a":1}'), null);
    assert.notEqual(errorOf('{"a":1}', 200, '{"a": 1}'), null);
  });
});
