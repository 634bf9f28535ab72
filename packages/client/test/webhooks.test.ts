import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type * as Contract from '../../server/contract.d.ts';
import { BadEvent, type BadEventReason, type VerifyOptions, verifyEvent } from '../src/webhooks.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const event = { id: 'evt_1', type: 'license.created', timestamp: '2026-01-31T09:30:00.000Z', data: { name: 'Zoë 🎛' } };
const body = JSON.stringify(event);
const NOW = 1_769_851_800_000;

function headersOf(text = body, at = NOW): Record<string, string> {
  const signature = new Webhook(secret).sign('evt_1', new Date(at), text);
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': String(at / 1000), 'webhook-signature': signature };
}

async function refusal(...[text, headers, secrets, options]: Parameters<typeof verifyEvent>): Promise<BadEventReason> {
  const error: unknown = await verifyEvent(text, headers, secrets, { now: NOW, ...options }).then(
    () => assert.fail('the event was accepted'),
    (each: unknown) => each,
  );
  assert.ok(error instanceof BadEvent);
  return error.reason;
}

const at = (milliseconds: number): VerifyOptions => ({ now: NOW + milliseconds });

describe('verifyEvent', () => {
  it('returns an event that the secret signed, from text or bytes and any kind of headers', async () => {
    for (const headers of [headersOf(), new Headers(headersOf())])
      for (const raw of [body, new TextEncoder().encode(body)])
        assert.deepEqual(await verifyEvent(raw, headers, secret, { now: NOW }), event);
    const capital = Object.fromEntries(Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), value]));
    assert.deepEqual(await verifyEvent(body, capital, secret, { now: NOW }), event);
  });

  it('verifies the example of every event in the reference', async () => {
    const reference = new URL('../../server/openapi.json', import.meta.url);
    const { webhooks } = JSON.parse(await readFile(reference, 'utf8'));
    const types = Object.keys(webhooks);
    assert.ok(types.includes('license.created') && types.includes('ping'));
    for (const type of types) {
      const { example } = webhooks[type].post.requestBody.content['application/json'];
      const text = JSON.stringify(example);
      const verified = await verifyEvent(text, headersOf(text), secret, { now: NOW });
      assert.deepEqual([verified, verified.type], [example, type]);
    }
  });

  it('returns an event whose type and fields the compiler knows from the contract', async () => {
    const verified: Contract.OutboundEvent = await verifyEvent(body, headersOf(), secret, { now: NOW });
    assert.ok(verified.type === 'license.created');
    // @ts-expect-error: there is no such type.
    assert.ok(verified.type !== 'license.sold');
    // @ts-expect-error: there is no such field.
    assert.equal(verified.data.licence, undefined);
  });

  it('accepts each of several signatures with each of several secrets', async () => {
    const other = `whsec_${randomBytes(32).toString('base64')}`;
    const headers = headersOf();
    headers['webhook-signature'] = `v1a,AAAA v1,!! v1,AAAA ${headers['webhook-signature']}`;
    assert.deepEqual(await verifyEvent(body, headers, [other, secret], { now: NOW }), event);
    assert.equal(await refusal(body, headers, [other]), 'signature');
    assert.equal(await refusal(body, headers, []), 'signature');
    assert.equal(await refusal(body, headers, ''), 'signature');
  });

  it('refuses missing headers', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: _left, ...rest } = headersOf();
      assert.equal(await refusal(body, rest, secret), 'headers');
    }
  });

  it('refuses a time more than five minutes off, in both directions, unless told otherwise', async () => {
    const headers = headersOf();
    for (const off of [300_000, -300_000]) assert.deepEqual(await verifyEvent(body, headers, secret, at(off)), event);
    for (const off of [301_000, -301_000]) assert.equal(await refusal(body, headers, secret, at(off)), 'timestamp');
    const lenient = { ...at(3_600_000), toleranceSeconds: 3_600 };
    assert.deepEqual(await verifyEvent(body, headers, secret, lenient), event);
    assert.equal(await refusal(body, { ...headers, 'webhook-timestamp': 'soon' }, secret), 'timestamp');
  });

  it('refuses a body that was changed, and one that is no event', async () => {
    assert.equal(await refusal(`${body} `, headersOf(), secret), 'signature');
    assert.equal(await refusal(body, { ...headersOf(), 'webhook-id': 'evt_2' }, secret), 'signature');
    for (const text of ['', '{', 'null', '[]', '{"id":"evt_1"}'])
      assert.equal(await refusal(text, headersOf(text), secret), 'body');
  });
});
