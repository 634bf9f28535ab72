/** The command `latchkey-client try`, against the real server. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startedApp } from '../../server/test/support/started-app.ts';

// Concurrently, because the tests mostly wait.
describe('latchkey-client try', { concurrency: true }, () => {
  const app = startedApp('sqlite');

  /** Runs the command. Returns its exit code, and each step with the printed status. */
  function attempt(...args: string[]): Promise<{ code: number; steps: string[]; out: string; err: string }> {
    const program = join(import.meta.dirname, '../src/cli.ts');
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [program, ...args], (_error, out, err) => {
        const steps = [...out.matchAll(/^(\w.*), the app .*$/gm)].map(([, step = '']) => step);
        resolve({ code: child.exitCode ?? -1, steps, out, err });
      });
    });
  }

  const onServer = (key: string, ...more: string[]) =>
    attempt(
      ...['try', '--server', `https://127.0.0.1:${app.port}`, '--product', 'app', '--key', key],
      ...['--ca', join(app.directory, 'tls-cert.pem'), ...more],
    );

  it('shows the life of a license, and frees the slot again', async () => {
    const key = await app.license({ maxMachines: 1 });
    const { code, steps, err } = await onServer(key);
    assert.equal(err, '');
    assert.deepEqual(steps, ['start: unlicensed', 'activate: licensed', 'check: licensed', 'deactivate: unlicensed']);
    assert.equal(code, 0);
    assert.equal((await app.admin('/getLicense', { licenseKey: key })).body.activationCount, 0);
  });

  it('shows grace, its end and the way back', async () => {
    const { code, steps } = await onServer(await app.license(), '--offline-after', '0s', '--clock', '+40d');
    assert.deepEqual(steps.slice(2), [
      'the server cannot be reached: grace',
      'the clock is ahead: lapsed',
      'check: licensed',
      'deactivate: unlicensed',
    ]);
    assert.equal(code, 0);
  });

  it('shows the effect of a wrong clock on an app that reaches the server', async () => {
    const { steps, out } = await onServer(await app.license(), '--clock=-40d');
    assert.ok(steps.includes('the clock is behind: licensed'), out);
    assert.match(out, /"clock":"behind"/);
  });

  it("shows the server's refusal of a wrong key, and a missing server", async () => {
    const refused = await onServer('NO-SUCH-KEY');
    assert.match(refused.out, /^refused: license_not_found: License not found$/m);
    assert.equal(refused.code, 1);
    const args = ['try', '--server', 'https://127.0.0.1:1', '--product', 'app', '--key', 'K'];
    const unreachable = await attempt(...args);
    assert.match(unreachable.out, /^unreachable: network: /m);
    assert.equal(unreachable.code, 1);
  });

  it('explains itself, and a mistake in its arguments', async () => {
    assert.equal((await attempt('--help')).code, 0);
    const nothing = await attempt('try');
    assert.equal(nothing.code, 2);
    assert.match(nothing.out, /^Usage: /);
    const wrong = await onServer('K', '--clock', 'tomorrow');
    assert.equal(wrong.code, 2);
    assert.equal(wrong.err, 'tomorrow is not a time such as 5s or +40d\n');
    assert.equal((await attempt('try', '--unknown')).code, 2);
  });
});
