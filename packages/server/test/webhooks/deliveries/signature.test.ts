import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { MINUTE_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { sign } from '../../../src/webhooks/deliveries/signature.ts';

const [secret, other] = [7, 8].map((each) => `whsec_${Buffer.alloc(32, each).toString('base64')}`) as [string, string];
const body = '{"type":"license.created","data":{"name":"Zoë 🎛"}}';

describe('the signature of a message', () => {
  it('is accepted by a Standard Webhooks library', () => {
    const headers = sign('evt_1', systemClock(), body, [secret]);
    assert.deepEqual(new Webhook(secret).verify(body, { ...headers }), JSON.parse(body));
    assert.throws(() => new Webhook(other).verify(body, { ...headers }), /No matching signature/);
    assert.throws(() => new Webhook(secret).verify(`${body} `, { ...headers }), /No matching signature/);
    assert.throws(
      () => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'evt_2' }),
      /No matching signature/,
    );
  });

  it('agrees with a known value', () => {
    const headers = sign('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330_999, '{"test": 2432232314}', [
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ]);
    assert.deepEqual(headers, {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is accepted with either secret during a rotation, and the newest comes first', () => {
    const headers = { ...sign('evt_1', systemClock(), body, [secret, other]) };
    for (const each of [secret, other]) assert.ok(new Webhook(each).verify(body, headers));
    const [first] = headers['webhook-signature'].split(' ');
    assert.ok(new Webhook(secret).verify(body, { ...headers, 'webhook-signature': first ?? '' }));
  });

  it('is of the time of the attempt', () => {
    const headers = sign('evt_1', systemClock() - 6 * MINUTE_MS, body, [secret]);
    assert.throws(() => new Webhook(secret).verify(body, { ...headers }), /too old/);
  });
});
