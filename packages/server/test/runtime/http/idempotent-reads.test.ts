/**
 * Reads ignore the Idempotency-Key: a caller that may only read stores nothing, with any headers and any number of
 * calls.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { endpointsByPath } from '../../../src/app.ts';
import { statusOf } from '../../../src/platform/endpoint/refusals.ts';
import { isWrite } from '../../../src/runtime/dispatch/action.ts';
import { allRows } from '../../support/all-rows.ts';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../support/app.ts';
import { operatorKey, signIn } from '../../support/console.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** Every endpoint that reads and accepts POST, except those of apps. */
const reads = [...endpointsByPath.values()].filter(
  ({ work, methods }) => work.kind === 'read' && methods.includes('POST'),
);

/** Tables written beside calls, for example leases of jobs and the last use of a session. */
const WRITTEN_BESIDE = ['job_lease', 'console_session', 'kept_refusal', 'statistic', 'license_total'];

for (const engine of engines)
  describe(`a read with an Idempotency-Key on ${engine}`, () => {
    let licenseKey: string;
    const app = startedApp(engine);
    before(async () => {
      licenseKey = await app.license();
      await new Machine(app, licenseKey).activated();
    });

    it('stores nothing, at any endpoint that reads', async () => {
      assert.ok(reads.length > 20);
      const viewer = await signIn(app, { secret: await operatorKey(app, 'viewer', 'Vera') });
      const fields = { licenseKey, query: licenseKey, email: 'ada@example.com', productId: 'app', code: 'none' };
      const stored = await allRows(app.database, WRITTEN_BESIDE);
      let answered = 0;
      for (const { path, access } of reads)
        for (const key of ['one', 'another', 'no key at all', 'x'.repeat(300)]) {
          const secrets = access === 'webhook' ? { webhookSecret: WEBHOOK_SECRET } : { adminSecret: ADMIN_SECRET };
          const headers = {
            'Idempotency-Key': key,
            ...(access === 'webhook' && { 'x-webhook-secret': WEBHOOK_SECRET }),
          };
          for (const { status, headers: got } of [
            await app.send(path, { ...fields, ...secrets }, { headers }),
            await viewer.call(path, fields, { 'idempotency-key': key }),
          ]) {
            if (status === 200) answered += 1;
            assert.ok(![409, 422].includes(status), `${path} was answered ${status}`);
            if (status === 400) assert.notEqual(got['latchkey-code'], 'idempotency_key_reused');
          }
        }
      assert.ok(answered > 100, `${answered} succeeded`);
      assert.deepEqual(await allRows(app.database, WRITTEN_BESIDE), stored);
    });

    it('answers the present state, and ignores earlier uses and the form of the key', async () => {
      const status = async (key: string) =>
        (await app.admin('/getLicense', { licenseKey }, keyed(key))).body.license.status;
      assert.deepEqual([await status('state'), await status('no key')], ['active', 'active']);
      await app.admin('/revokeLicense', { licenseKey });
      assert.deepEqual([await status('state'), await status('no key')], ['revoked', 'revoked']);
      await app.admin('/reinstateLicense', { licenseKey });
      assert.equal((await app.admin('/getLicense', { licenseKey: 'other' }, keyed('state'))).status, 404);
    });

    it('runs as a read, with any headers', () => {
      const call = {
        path: '/getLicense',
        credential: { kind: 'admin' },
        read: { fields: {} },
        requestContext: { requestId: 'test', now: 0, country: null, address: null },
        idempotency: { key: 'one', requestHash: 'hash' },
      } as const;
      for (const endpoint of reads) assert.equal(isWrite(call, endpoint), false, endpoint.path);
    });

    it('names the header in the reference for writes alone', async () => {
      const { body } = await app.send('/openapi.json', undefined, { method: 'GET' });
      for (const { path, access, work, methods, refusals } of endpointsByPath.values()) {
        if (!methods.includes('POST')) continue;
        const { parameters = [], responses } = body.paths[path].post;
        const takesHeader = work.kind === 'write' && access !== 'client' && access !== 'signIn';
        assert.equal(JSON.stringify(parameters).includes('IdempotencyKey'), takesHeader, path);
        const hasOwn = refusals.some((code) => statusOf(code) === 422);
        assert.equal(responses[422] !== undefined, takesHeader || hasOwn, path);
      }
    });
  });
