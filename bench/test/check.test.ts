import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultOf } from '../src/check.ts';

describe('checking an answer', () => {
  it('finds nothing wrong when the expected fields are there, whatever else is', () => {
    assert.equal(faultOf({ valid: true, expiresAt: null }, 200, '{"valid":true,"expiresAt":null,"more":1}'), null);
  });

  it('finds another status wrong and tells the error in the body', () => {
    const fault = faultOf({ success: true }, 429, '{"success":false,"error":"Too many activation attempts."}');
    assert.equal(fault, 'status 429: Too many activation attempts.');
    assert.equal(faultOf({}, 502, '<html>'), 'status 502');
  });

  it('finds a field wrong that differs or is absent', () => {
    assert.equal(faultOf({ status: 'active' }, 200, '{"status":"revoked"}'), 'status is "revoked" instead of "active"');
    assert.equal(faultOf({ machinesUsed: 1 }, 200, '{}'), 'machinesUsed is undefined instead of 1');
  });

  it('does not show tokens and keys', () => {
    const fault = faultOf({ token: 'secret-1' }, 200, '{"token":"secret-2"}');
    assert.ok(fault !== null && !/secret/.test(fault), String(fault));
  });

  it('finds a body wrong that is no JSON object', () => {
    for (const body of ['', 'null', '"text"', '{"valid":tr']) {
      assert.equal(faultOf({}, 200, body), 'the body is not a JSON object');
    }
  });

  it('compares a whole body to the byte', () => {
    assert.equal(faultOf('{"a":1}', 200, '{"a":1}'), null);
    assert.notEqual(faultOf('{"a":1}', 200, '{"a": 1}'), null);
  });
});
