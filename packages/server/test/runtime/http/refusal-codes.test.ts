/** The header Latchkey-Code: on every refusal, from any layer, with the published code; on no success. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publishedCodes } from '../../../src/platform/endpoint/refusals.ts';
import { makeCode } from '../../commerce/discount-codes/creator.ts';
import { ADMIN_SECRET, type Answer, startApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { Creator } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { answersOf, requestBytes, Wire } from './wire.ts';

const ORDER = { email: 'ada@example.com', productId: 'app' };
const UNKNOWN_KEY = 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE';

/** Fails unless a reply is a refusal of this status and code. */
function isRefusedAs({ status, headers, body }: Answer, expectedStatus: number, code: string): void {
  const known: readonly string[] = publishedCodes;
  assert.ok(known.includes(code), code);
  assert.deepEqual([status, headers['latchkey-code']], [expectedStatus, code], JSON.stringify(body));
}

for (const engine of engines)
  describe(`the code of a refusal on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_LOG_LEVEL: 'fatal', LATCHKEY_REQUEST_TIMEOUT: '1s' });

    it('is there where the way to an endpoint is wrong, or the request is', async () => {
      const get = { method: 'GET' };
      const verify = { licenseKey: UNKNOWN_KEY, productId: 'app' };
      isRefusedAs(await app.send('/nowhere', {}), 404, 'not_found');
      isRefusedAs(await app.send('/verify', undefined, get), 405, 'method_not_allowed');
      isRefusedAs(await app.send('/healthz', {}), 405, 'method_not_allowed');
      isRefusedAs(await app.send('/verify', '{'), 400, 'bad_json');
      isRefusedAs(await app.send('/verify', '[]'), 400, 'body_not_object');
      isRefusedAs(await app.send('/verify', { ...verify, x: 'x'.repeat(70_000) }), 413, 'body_too_large');
      isRefusedAs(await app.send(`/getLicense?x=${'x'.repeat(9000)}`, undefined, get), 400, 'query_too_large');
      isRefusedAs(await app.send('/verify', {}), 400, 'missing_fields');
      isRefusedAs(await app.send('/verify', { ...verify, productId: 5 }), 400, 'invalid_field');
      isRefusedAs(await app.send('/createLicense', ORDER), 401, 'unauthorized');
    });

    it('is there in what ends a connection, which has an id as well', async () => {
      const { port } = app;
      const large = requestBytes('/verify', '{}', { headers: [`X-Large: ${'x'.repeat(17_000)}`] });
      const refusals: [number, string, Answer][] = [
        [400, 'malformed_http', await Wire.exchange(port, 'nonsense\r\n\r\n')],
        [400, 'malformed_http', await Wire.exchange(port, 'GET /healthz HTTP/1.1\r\n\r\n')],
        [431, 'headers_too_large', await Wire.exchange(port, large)],
        [426, 'https_required', await Wire.exchange(port, requestBytes('/verify', '{}'), { tls: false })],
      ];
      const named = requestBytes('/verify', '{"a":1}', { headers: ['X-Request-Id: mine.1'] }).subarray(0, -1);
      // Sent together, because each waits for the timeout.
      const [withBody, withHeaders, withId] = await Promise.all([
        Wire.exchange(port, requestBytes('/verify', '{"a":1}').subarray(0, -1)),
        Wire.exchange(port, 'POST /verify HTTP/1.1\r\nHost:'),
        Wire.exchange(port, named),
      ]);
      refusals.push([408, 'request_timeout', withBody], [408, 'request_timeout', withHeaders]);
      for (const [status, code, answer] of refusals) {
        isRefusedAs(answer, status, code);
        assert.match(String(answer.headers['x-request-id']), /^[\w-]{14}$/);
      }
      assert.equal(withId.headers['x-request-id'], 'mine.1');
    });

    it('is there behind answers to requests that came before on the same connection', async () => {
      const wire = await Wire.open(app.port);
      const health = requestBytes('/healthz', '', { method: 'GET' });
      wire.write(Buffer.concat([health, requestBytes('/verify', '{}'), Buffer.from('nonsense\r\n\r\n')]));
      const [healthy, refused, malformed] = await answersOf(wire, 3);
      assert.deepEqual([healthy?.status, healthy?.headers['latchkey-code']], [200, undefined]);
      isRefusedAs(refused!, 400, 'missing_fields');
      isRefusedAs(malformed!, 400, 'malformed_http');
      wire.end();
    });

    it('is the same for the same meaning at each client endpoint, with any status and text', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const machine = await new Machine(app, licenseKey).activated();
      const other = new Machine(app, licenseKey, 'machine-2');
      isRefusedAs(await other.activate(), 403, 'machine_limit');
      other.token = machine.token;
      isRefusedAs(await other.validate(), 401, 'token_mismatch');
      isRefusedAs(await other.heartbeat(), 401, 'invalid_token');
      other.token = 'no token';
      isRefusedAs(await other.validate(), 401, 'invalid_token');
      isRefusedAs(await other.heartbeat(), 401, 'invalid_token');
      assert.equal((await machine.deactivate()).status, 200);
      isRefusedAs(await machine.validate(), 403, 'machine_not_activated');
      isRefusedAs(await machine.heartbeat(), 404, 'machine_not_activated');
      isRefusedAs(await machine.deactivate(), 404, 'machine_not_activated');
      isRefusedAs(await new Machine(app, UNKNOWN_KEY).verify(), 404, 'license_not_found');
      machine.productId = 'other';
      isRefusedAs(await machine.verify(), 403, 'wrong_product');
      machine.productId = 'app';
      await app.admin('/revokeLicense', { licenseKey });
      isRefusedAs(await machine.activate(), 403, 'license_revoked');
    });

    it('is present for refusals by state: 403, 404, 409 and 429', async () => {
      const creator = await Creator.of(app);
      const other = { name: 'X', slug: 'x', creatorId: 'somebody' };
      isRefusedAs(await creator.send('/createProduct', other), 403, 'creator_mismatch');
      isRefusedAs(await app.admin('/revokeLicense', { licenseKey: UNKNOWN_KEY }), 404, 'license_not_found');
      const code = await makeCode(app);
      isRefusedAs(await app.admin('/createDiscountCode', { code, trialDays: 7 }), 409, 'discount_code_taken');
      const redeem = (given: string) => app.send('/redeemTrialCode', { ...ORDER, code: given });
      isRefusedAs(await redeem('no such code'), 404, 'code_invalid');
      await app.admin('/updateDiscountCode', { code, active: false });
      isRefusedAs(await redeem(code), 400, 'code_invalid');
      const machine = await new Machine(app, await app.license()).activated();
      for (let attempts = 1; attempts < 15; attempts++) await machine.activated();
      const refused = await machine.activate();
      isRefusedAs(refused, 429, 'activation_rate');
      assert.ok(Number(refused.headers['retry-after']) > 0);
    });

    it('comes again with a refusal that is repeated under its Idempotency-Key, and never with a kept success', async () => {
      const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
      const revoke = () => app.admin('/revokeLicense', { licenseKey: UNKNOWN_KEY }, keyed('refused'));
      for (let times = 0; times < 3; times++) isRefusedAs(await revoke(), 404, 'license_not_found');
      const create = (fields: object) => app.admin('/createLicense', { ...ORDER, ...fields }, keyed('kept'));
      const first = await create({});
      const replayed = await create({});
      assert.deepEqual([replayed.status, replayed.body], [200, first.body]);
      assert.equal(replayed.headers['latchkey-code'], undefined);
      for (let times = 0; times < 2; times++)
        isRefusedAs(await create({ email: 'eve@example.com' }), 422, 'idempotency_key_reused');
      isRefusedAs(await app.admin('/createLicense', ORDER, keyed('é'.repeat(3))), 400, 'invalid_field');
    });

    it('comes again when the first answer under an Idempotency-Key cannot be opened any more', async () => {
      const shared = await freshDatabase(engine);
      const keyed = { headers: { 'Idempotency-Key': 'kept' } };
      const former = await startApp(engine, {}, shared);
      assert.equal((await former.admin('/createLicense', ORDER, keyed)).status, 200);
      await former.stop();
      const adminSecret = `${ADMIN_SECRET}-changed`;
      const present = await startApp(engine, { LATCHKEY_ADMIN_SECRET: adminSecret }, shared);
      for (let times = 0; times < 2; times++)
        isRefusedAs(
          await present.send('/createLicense', { adminSecret, ...ORDER }, keyed),
          409,
          'idempotent_reply_lost',
        );
      await present.stop();
      await shared.remove();
    });

    it('is there when a network has shown too many wrong credentials', async () => {
      const strict = await startApp(engine, { LATCHKEY_WRONG_SECRET_RATE: '1' });
      const wrong = () => strict.send('/createLicense', { adminSecret: 'wrong', ...ORDER });
      isRefusedAs(await wrong(), 401, 'unauthorized');
      isRefusedAs(await wrong(), 429, 'wrong_secret_rate');
      const webhook = { headers: { 'x-webhook-secret': WEBHOOK_SECRET } };
      isRefusedAs(await strict.send('/validateSeatCode', { code: 'x' }, webhook), 429, 'wrong_secret_rate');
      await strict.stop();
    });

    it('is there when the service cannot take more work: 503', async () => {
      const full = await startApp(engine, { LATCHKEY_LOG_LEVEL: 'fatal' }, undefined, { maxCalls: 0 });
      isRefusedAs(await new Machine(full, UNKNOWN_KEY).verify(), 503, 'overloaded');
      await full.stop();
    });
  });

describe('the code of a service that is not ready', () => {
  it('is reported by /readyz and by endpoints', async () => {
    const database = await freshDatabase('postgres');
    const app = await startApp('postgres', { LATCHKEY_LOG_LEVEL: 'fatal' }, database);
    await database.remove();
    isRefusedAs(await app.send('/readyz', undefined, { method: 'GET' }), 503, 'not_ready');
    isRefusedAs(await new Machine(app, UNKNOWN_KEY).verify(), 503, 'database_away');
    await app.stop();
  });
});
