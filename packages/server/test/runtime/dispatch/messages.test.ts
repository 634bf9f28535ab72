/** Calls keep everything on their way to another thread, though the names of their fields stay behind. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dispatchedByPath } from '../../../src/app.ts';
import { refuse } from '../../../src/platform/endpoint/refusals.ts';
import type { Call } from '../../../src/runtime/dispatch/call.ts';
import { fieldNamesOf, packCall, unpackCall } from '../../../src/runtime/dispatch/messages.ts';
import { requestContextAt } from '../../support/contexts.ts';

const NAMES = fieldNamesOf(dispatchedByPath);

const callOf = (path: string, read: Call['read']): Call => ({
  path,
  credential: { kind: 'none' },
  read,
  requestContext: requestContextAt(0),
  idempotency: null,
});

/** The call after its way through a message. */
const received = (call: Call) => unpackCall(structuredClone(packCall(1, call, NAMES)), NAMES);

describe('a call that travels to another thread', () => {
  it('keeps all fields of each endpoint', () => {
    for (const [path, names] of NAMES) {
      const call = callOf(path, { fields: Object.fromEntries(names.map((name, index) => [name, `value ${index}`])) });
      assert.deepEqual(received(call), call, path);
    }
  });

  it('keeps a field that is null, and adds none that is absent', () => {
    const call = callOf('/updateLicense', { fields: { licenseKey: 'AAAA', expiresAt: null, maxMachines: 0 } });
    const { read } = received(call);
    assert.deepEqual(read, call.read);
    assert.ok('fields' in read);
    assert.deepEqual(Object.keys(read.fields).toSorted(), ['expiresAt', 'licenseKey', 'maxMachines']);
  });

  it('keeps the refusal of its fields', () => {
    const call = callOf('/verify', { refusal: refuse('missing_fields', { details: { message: 'Missing license' } }) });
    assert.deepEqual(received(call), call);
  });
});
