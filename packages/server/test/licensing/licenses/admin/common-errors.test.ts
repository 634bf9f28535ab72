/** The common refusals of all endpoints for managing one license (rules 4.2). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../../support/answers.ts';
import { engines } from '../../../support/databases.ts';
import { startedApp } from '../../../support/started-app.ts';

const ENDPOINTS = [
  { path: '/getLicense', methods: 'GET, POST', missing: 'Missing licenseKey', rest: {} },
  { path: '/explainLicense', methods: 'GET, POST', missing: 'Missing licenseKey', rest: {} },
  { path: '/updateLicense', methods: 'POST', missing: 'Missing licenseKey', rest: {} },
  { path: '/revokeLicense', methods: 'POST', missing: 'Missing licenseKey', rest: {} },
  { path: '/reinstateLicense', methods: 'POST', missing: 'Missing licenseKey', rest: {} },
  { path: '/resetActivations', methods: 'POST', missing: 'Missing licenseKey', rest: {} },
  { path: '/replaceLicense', methods: 'POST', missing: 'Missing licenseKey', rest: {} },
  {
    path: '/resolveLicense',
    methods: 'POST',
    missing: 'Missing licenseKey or violationIds',
    rest: { violationIds: ['any'] },
  },
  { path: '/liftActivationLimit', methods: 'POST', missing: 'Missing licenseKey', rest: {} },
  ...['/releaseActivation', '/endSession'].map(
    (path) =>
      ({
        path,
        methods: 'POST',
        missing: 'Missing licenseKey or machineFingerprint',
        rest: { machineFingerprint: 'any' },
      }) as const,
  ),
  { path: '/listUsers', methods: 'GET, POST', missing: 'Missing licenseKey', rest: {} },
  { path: '/releaseUser', methods: 'POST', missing: 'Missing licenseKey or user', rest: { user: 'any' } },
  { path: '/addNote', methods: 'POST', missing: 'Missing licenseKey or text', rest: { text: 'any' } },
  { path: '/deleteNote', methods: 'POST', missing: 'Missing licenseKey or noteId', rest: { noteId: 'any' } },
] as const;

for (const engine of engines)
  describe(`Endpoints of one license on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_WRONG_SECRET_RATE: 'off' });

    for (const { path, methods, missing, rest } of ENDPOINTS) {
      it(`${path} is 404 for an unknown license`, async () => {
        const { status, body } = await app.admin(path, { licenseKey: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE', ...rest });
        assert.deepEqual([status, body], [404, { success: false, error: 'License not found' }]);
      });

      for (const licenseKey of [undefined, null, ''])
        it(`${path} is 400 when licenseKey is ${JSON.stringify(licenseKey) ?? 'absent'}`, async () => {
          assertRefused(await app.admin(path, { ...rest, licenseKey }), 400, missing);
        });

      it(`${path} is 400 for a licenseKey that is no text`, async () => {
        const { status, body } = await app.admin(path, { ...rest, licenseKey: 7 });
        assert.deepEqual([status, body.error], [400, 'licenseKey must be a string of at most 512 characters']);
      });

      it(`${path} is 401 without a credential, also for a license that exists`, async () => {
        const licenseKey = await app.license();
        for (const credential of [{}, { adminSecret: 'wrong' }, { apiKey: 'lk_wrong' }])
          assertRefused(await app.send(path, { licenseKey, ...rest, ...credential }), 401, 'Unauthorized');
      });

      it(`${path} takes ${methods} only`, async () => {
        const answer = await app.send(path, undefined, { method: 'PUT' });
        assert.deepEqual([answer.status, answer.headers.allow], [405, methods]);
      });
    }
  });
