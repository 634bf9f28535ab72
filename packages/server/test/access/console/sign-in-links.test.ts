/** Links that sign in the owner once: who receives one, and its lifetime. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deriveBindingKeys } from '../../../src/access/console/binding.ts';
import { makeSignInCode } from '../../../src/access/console/sign-in-code.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { isReadByPerson } from '../../../src/runtime/service/serve.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { atOnce, statusCounts } from '../../support/behind-proxy.ts';
import { environmentOf, runCommand, runCommandHere } from '../../support/command.ts';
import { signIn } from '../../support/console.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { processEnvironment } from '../../support/process-environment.ts';
import { startedWithStorage } from '../../support/started-app.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const LINK = /https:\/\/\S+\/console\/#\/sign-in\?code=([\w-]{43})/;

for (const engine of engines)
  describe(`sign-in links on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    const command = (environment: Readonly<Record<string, string>> = {}, run = runCommandHere) =>
      run(['sign-in-link'], {
        LATCHKEY_DATA_DIR: app.directory,
        ...environmentOf(app.database),
        LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
        ...environment,
      });
    const makeCode = (secret = ADMIN_SECRET) =>
      storage.transaction((tx) => makeSignInCode(tx, app.clock.now(), deriveBindingKeys([secret])));
    /** The same without the pause that wrong codes cause. */
    const useAfter = (code: string) => {
      app.clock.move(5_000);
      return use(code);
    };
    const use = (code: string) => app.send('/createConsoleSession', { code });

    it('are printed by the command beside a running service, and sign in the owner once', async () => {
      const { code: status, out } = await command({ PORT: '8443' }, runCommand);
      assert.equal(status, 0);
      const [link, code = ''] = LINK.exec(out) ?? [];
      assert.equal(out, `${link}\n`);
      assert.ok(link?.startsWith('https://localhost:8443/console/#'), 'the code is in the fragment');
      const { answer, call } = await signIn(app, { code, name: 'Ada' });
      const { kind, role, name } = answer.body;
      assert.deepEqual([kind, role, name], ['operator', 'owner', 'Ada']);
      assert.equal((await call('/listApiKeys')).status, 200);
      assert.equal((await use(code)).status, 401, 'it was used');
    });

    it('name an address that is to be filled in behind a proxy', async () => {
      const { out } = await command({ LATCHKEY_TRUST_PROXY: '203.0.113.7' });
      assert.match(out, /^https:\/\/YOUR-HOST\/console\/#/);
    });

    it('are valid for five minutes and no longer', async () => {
      const [early, late] = [await makeCode(), await makeCode()];
      app.clock.move(5 * MINUTE_MS - 1);
      assert.equal((await use(early)).status, 200);
      app.clock.move(1);
      assert.equal((await use(late)).status, 401);
    });

    it('are invalid if a clock that was ahead made them', async () => {
      const code = await makeCode();
      app.clock.move(-2 * DAY_MS);
      assert.equal((await use(code)).status, 401);
      app.clock.move(DAY_MS);
      assert.equal((await use(code)).status, 200, 'clocks of nodes may differ by a day');
      app.clock.move(DAY_MS);
    });

    it('sign in one of many who open one at once', async () => {
      const code = await makeCode();
      await fillPool(app);
      // One of them gets 200; the others 401 or, after too many wrong ones, 429.
      const counts = statusCounts(await atOnce(15, () => use(code)));
      assert.deepEqual([counts[200], counts[401]], [1, 14]);
    });

    it('are invalid if they were made with another admin secret', async () => {
      assert.equal((await use(await makeCode('another-admin-secret-of-nobody'))).status, 401);
    });

    it('of which there are 20 at most: another one takes the place of the oldest', async () => {
      const first = await makeCode();
      app.clock.move(1);
      const second = await makeCode();
      app.clock.move(1);
      for (let count = 0; count < 19; count++) await makeCode();
      assert.deepEqual([(await use(first)).status, (await use(second)).status], [401, 200]);
    });

    it('are 20 at most, however many are made at once', async () => {
      app.clock.move(10 * MINUTE_MS);
      await fillPool(app);
      const codes = await atOnce(30, () => makeCode());
      const statuses: number[] = [];
      for (const code of codes) statuses.push((await useAfter(code)).status);
      assert.equal(statuses.filter((status) => status === 200).length, 20);
    });

    it('are not made without a console', async () => {
      const { code, out, err } = await command({ LATCHKEY_CONSOLE: 'off' });
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /The console is switched off \(LATCHKEY_CONSOLE\)/);
    });

    it('are not made where the admin secret of the service is not known, and none is made up', async () => {
      const { code, out, err } = await command({ LATCHKEY_ADMIN_SECRET: '' });
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /The admin secret of the service is unknown/);
    });
  });

describe('a sign-in link at the start', () => {
  it('is shown where both streams are a terminal, and nowhere else', () => {
    const terminal = { isTTY: true };
    assert.ok(isReadByPerson({ stdout: terminal, stderr: terminal }));
    for (const stdout of [{}, { isTTY: false }]) {
      assert.equal(isReadByPerson({ stdout, stderr: terminal }), false);
      assert.equal(isReadByPerson({ stdout: terminal, stderr: stdout }), false);
    }
  });

  /** Starts the service with a command line, stops it once it has started, and returns its output. */
  async function saidBy(test: TestContext, line: readonly [string, ...string[]]): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-link-'));
    const fresh = await freshDatabase('sqlite');
    test.after(async () => {
      await fresh.remove();
      await rm(directory, { recursive: true, force: true });
    });
    const [program, ...args] = line;
    const service = spawn(program, args, {
      cwd: directory,
      env: { ...processEnvironment, PORT: '0', LATCHKEY_DATA_DIR: directory, SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ended = once(service, 'exit');
    const said = Promise.all([text(service.stdout), text(service.stderr)]);
    let seen = '';
    const hasStarted = new Promise<void>((resolve) => {
      for (const stream of [service.stdout, service.stderr])
        stream.on('data', (chunk: Buffer) => {
          seen += chunk.toString();
          // Output right after the greeting is part of it.
          const isWhole = program !== 'script' || LINK.test(seen);
          if (/\/createLicense/.test(seen) && /service\.started/.test(seen) && isWhole) resolve();
        });
    });
    await Promise.race([hasStarted, ended]);
    service.kill('SIGTERM');
    await ended;
    return (await said).join('');
  }

  it('is in no log: none is written where the output is not a terminal', async (test) => {
    const said = await saidBy(test, [process.execPath, MAIN]);
    assert.match(said, /Console +https:\/\/localhost:\d+\/console\//);
    assert.doesNotMatch(said, /code=|sign-in/);
  });

  it('is written to a terminal', {
    skip: process.platform !== 'linux' && 'needs the script of Linux',
  }, async (test) => {
    const said = await saidBy(test, ['script', '-qefc', `exec "${process.execPath}" "${MAIN}"`, '/dev/null']);
    assert.match(said, LINK);
    assert.match(said, /The browser warns about the self-signed certificate/);
  });
});
