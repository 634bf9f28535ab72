import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ADMIN_SECRET, startApp, WEBHOOK_SECRET } from './support/app.ts';
import { engines } from './support/databases.ts';
import { processEnvironment } from './support/process-environment.ts';

const run = promisify(execFile);
const scriptPath = (name: string) => fileURLToPath(new URL(`../scripts/${name}`, import.meta.url));

const environmentFor = (url: string) => ({
  ...processEnvironment,
  LATCHKEY_URL: url,
  LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
  LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET,
  // The app under test makes a certificate that no client knows.
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
});

describe('the scripts beside the service', () => {
  it('a storefront rehearses a year on a service of its own, and everything ends as the rules say', async () => {
    const { stdout } = await run(process.execPath, [scriptPath('storefront-rehearsal.ts')], {
      env: processEnvironment,
    });
    assert.match(stdout, /\d+ checks at .*: all as the rules say/);
  });

  it('a storefront rehearses on a running service with PostgreSQL, and everything ends as the rules say', async () => {
    const app = await startApp('postgres');
    try {
      const url = `https://127.0.0.1:${app.port}`;
      const environment = environmentFor(url);
      const { stdout } = await run(process.execPath, [scriptPath('storefront-rehearsal.ts'), url], {
        env: environment,
      });
      assert.match(stdout, /\d+ checks at .*: all as the rules say/);
    } finally {
      await app.stop();
    }
  });

  for (const engine of engines)
    it(`way prints the functions that ran for one call, on ${engine}`, async () => {
      const args = ['/validate', '--engine', engine];
      const { stdout } = await run(process.execPath, [scriptPath('way.ts'), ...args], { env: processEnvironment });
      assert.match(stdout, new RegExp(`^/validate on ${engine}: 200$`, 'm'));
      assert.match(stdout, /^main thread$/m);
      assert.equal(/^writer thread$/m.test(stdout), engine === 'sqlite');
      assert.match(stdout, /^ {4}session-token-check\.ts: .*checkSession/m);
      assert.doesNotMatch(stdout, /refusalToVerify/, 'belongs to another endpoint');
      assert.match(stdout, /^\d+ files$/m);
    });

  it('way names the endpoint that it lacks', async () => {
    const failed = await run(process.execPath, [scriptPath('way.ts'), '/nowhere'], { env: processEnvironment }).catch(
      (error) => error,
    );
    assert.equal(failed.code, 2);
    assert.match(failed.stderr, /^way: Name one endpoint, such as \/validate; --engine is one of sqlite, postgres\./m);
  });
});
