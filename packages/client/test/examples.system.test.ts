/** The apps in `examples`, run as users run them, with the packed client against the real service. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it, type TestContext } from 'node:test';
import { startApp, type TestApp } from '../../server/test/support/app.ts';
import { findBrowser, NO_BROWSER, openBrowser } from '../../server/test/support/browser.ts';
import { environmentOf, runCommand } from '../../server/test/support/command.ts';
import { type InstalledClient, installClient } from './support/installed-client.ts';
import { trustIn } from './support/world.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');

describe('the example', () => {
  let installed: InstalledClient;
  let pages: Awaited<ReturnType<typeof servePages>>;
  let app: TestApp;
  let environment: Readonly<Record<string, string>>;
  before(async () => {
    installed = await installClient();
    await cp(EXAMPLES, join(installed.project, 'examples'), { recursive: true });
    pages = await servePages(installed.project);
    app = await startApp('sqlite', { LATCHKEY_CORS_ORIGINS: pages.origin });
    // Copied, because the server's folder is removed with the server.
    const certificate = join(installed.folder, 'tls-cert.pem');
    await copyFile(join(app.directory, 'tls-cert.pem'), certificate);
    const printed = await runCommand(['list-signing-keys', '--for-app'], environmentOf(app.database));
    environment = {
      PATH: process.env.PATH ?? '',
      LATCHKEY_SERVER: `https://127.0.0.1:${app.port}`,
      LATCHKEY_CA: certificate,
      LATCHKEY_KEYS: JSON.stringify(trustIn(printed.out)),
    };
  });
  after(async () => {
    await app.stop();
    await pages.stop();
    await installed.remove();
  });

  const programOf = (name: string) => join(installed.project, 'examples', name);
  const stateOf = (user: string) => ({ LATCHKEY_STATE: join(installed.folder, 'states', user) });

  /** Starts a long-running program. Returns a function that reads its output line by line. */
  function start(test: TestContext, name: string, more: Readonly<Record<string, string>>) {
    const child: ChildProcess = spawn(process.execPath, [programOf(name)], {
      env: { ...environment, ...more },
      stdio: 'pipe',
    });
    test.after(() => void child.kill('SIGKILL'));
    const complaints: string[] = [];
    child.stderr?.on('data', (chunk: Buffer) => complaints.push(chunk.toString()));
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const line = async () => (await lines.next()).value as string;
    const end = async () => {
      child.stdin?.end();
      if (child.exitCode === null) await once(child, 'exit');
      return child.exitCode;
    };
    return { child, line, end, complaints };
  }

  it('of a command-line tool is licensed, works without the service, and moves to another machine', async () => {
    const run = (...args: string[]) =>
      new Promise<string>((resolve) => {
        const env = { ...environment, ...stateOf('tool') };
        const child = execFile(
          process.execPath,
          [programOf('command-line-tool/tool.js'), ...args],
          { env },
          (_, out, err) => resolve(`${child.exitCode} ${out}${err}`),
        );
      });
    const key = await app.license({ maxMachines: 1 });
    assert.equal(await run('work'), '1 Please enter your license key.\n');
    assert.match(await run('license', 'A-KEY'), /^1 This license key is unknown\./);
    assert.equal(await run('license', key), `0 Licensed, key ending in ${key.slice(-5)}.\n`);
    assert.equal(await run('work'), '0 The work is done.\n');
    assert.equal(await run('status'), `0 licensed, indie, key ending in ${key.slice(-5)}\n`);
    const there = environment;
    environment = { ...there, LATCHKEY_SERVER: 'https://127.0.0.1:1' };
    assert.equal(await run('work'), '0 The work is done.\n');
    assert.match(await run('move'), /^1 The license server cannot be reached\./);
    environment = there;
    assert.equal(await run('move'), '0 This machine is free.\n');
    assert.equal((await app.admin('/getLicense', { licenseKey: key })).body.activationCount, 0);
    assert.match(await run(), /^2 tool license KEY/);
  });

  it('of an Electron app informs its windows, and its state is sealed', async (test) => {
    const electron = join(installed.project, 'node_modules', 'electron');
    await mkdir(electron, { recursive: true });
    await writeFile(
      join(electron, 'package.json'),
      JSON.stringify({ name: 'electron', type: 'module', main: 'index.js' }),
    );
    await copyFile(join(import.meta.dirname, 'support/electron-stand-in.js'), join(electron, 'index.js'));
    const main = start(test, 'electron/main.js', stateOf('electron'));
    const say = (line: object) => main.child.stdin?.write(`${JSON.stringify(line)}\n`);
    const line = async () => JSON.parse(await main.line());
    assert.deepEqual(await line(), { loaded: 'index.html' });
    say({ channel: 'license:get' });
    const { detail } = await line();
    assert.deepEqual([detail.state.status, detail.sentence], ['unlicensed', 'Please enter your license key.']);
    say({ channel: 'license:activate', args: ['A-KEY'] });
    assert.match((await line()).detail.sentence, /is unknown/);
    say({ channel: 'license:activate', args: [await app.license()] });
    const [reported, answered] = [await line(), await line()];
    assert.deepEqual([reported.sent, reported.detail.state.status], ['license:changed', 'licensed']);
    assert.deepEqual([answered.answered, answered.detail.sentence], ['license:activate', null]);
    const kept = await readFile(join(stateOf('electron').LATCHKEY_STATE, 'state'), 'utf8');
    assert.match(kept, /^sealed:/);
    say({ quit: true });
    assert.equal(await main.end(), 0);
  });

  it('of a web server with a site license starts without the key, and writes only with it', async (test) => {
    const licenseKey = await app.license({ licenseType: 'site' });
    const startServer = async (instance: string, key: string) => {
      const server = start(test, 'web-server/server.js', {
        ...stateOf(instance),
        INSTANCE: instance,
        LICENSE_KEY: key,
        PORT: '0',
      });
      const said: string[] = [];
      for (let line = ''; !line.startsWith('listening on '); said.push(line)) line = await server.line();
      const url = `http://127.0.0.1:${said.at(-1)?.split(' ').at(-1)}`;
      return { server, said, ask: (method: string) => fetch(url, { method }) };
    };
    const servers = await Promise.all(['pod 1', 'pod 2'].map((instance) => startServer(instance, licenseKey)));
    for (const { said, ask } of servers) {
      assert.equal(said[0], 'license: licensed');
      assert.equal((await ask('POST')).status, 200);
    }
    for (const { server } of servers) {
      server.child.kill('SIGTERM');
      await once(server.child, 'exit');
    }
    await app.admin('/revokeLicense', { licenseKey });
    const { said, ask, server } = await startServer('pod 3', licenseKey);
    assert.equal(said.includes('license: licensed'), false);
    assert.deepEqual([(await ask('GET')).status, (await ask('POST')).status], [200, 503]);
    assert.deepEqual(server.complaints, ['This license has been revoked. Please write to support.\n']);
  });

  it('of a plug-in shares one seat among two processes, of which the last gives it back', async (test) => {
    const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
    const seats = async () => (await app.send('/verify', { licenseKey, productId: 'app' })).body.machinesUsed;
    const plugIn = (user: string) =>
      start(test, 'floating-plug-in/plug-in.js', { ...stateOf(user), LICENSE_KEY: licenseKey });
    const first = plugIn('desk');
    assert.equal(await first.line(), 'licensed');
    const second = plugIn('desk');
    assert.equal(await second.line(), 'licensed');
    assert.equal(await seats(), 1);
    assert.equal(await first.end(), 0);
    assert.equal(await seats(), 1, 'the second one has it');
    assert.equal(await second.end(), 0);
    assert.equal(await seats(), 0);
  });

  it('of a web page is licensed in a real browser, and goes on when the page is loaded without the service', async (test) => {
    const program = await findBrowser();
    if (program === null) return test.skip(NO_BROWSER);
    const { issuer, publicKeys } = JSON.parse(environment.LATCHKEY_KEYS ?? '');
    const options = {
      server: environment.LATCHKEY_SERVER,
      productId: 'app',
      issuer,
      publicKeys,
      requestTimeoutMs: 3000,
    };
    await writeFile(programOf('browser/options.js'), `export const options = ${JSON.stringify(options)};\n`);
    const browser = await openBrowser(program);
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      const isNow = (status: string) => page.locator('#state', { hasText: new RegExp(`^${status}$`) }).waitFor();
      await page.goto(`${pages.origin}/examples/browser/index.html`);
      await isNow('unlicensed');
      await page.getByLabel('License key').fill('A-KEY');
      await page.getByRole('button').click();
      await page.getByText('This license key is unknown.').waitFor();
      const key = await app.license();
      await page.getByLabel('License key').fill(key);
      await page.getByRole('button').click();
      await isNow('licensed');
      assert.equal(await page.getByLabel('License key').isHidden(), true);
      await page.waitForFunction(() => JSON.parse(localStorage.getItem('latchkey.app') ?? '{}').file != null);
      await context.route(`${environment.LATCHKEY_SERVER}/**`, (route) => route.abort());
      await page.reload();
      await isNow('grace');
      await context.unroute(`${environment.LATCHKEY_SERVER}/**`);
      await app.admin('/revokeLicense', { licenseKey: key });
      await page.reload();
      await isNow('refused');
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
  });
});

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

/** Serves the files of a folder to browsers. */
async function servePages(folder: string) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://pages');
    const content = await readFile(join(folder, pathname)).catch(() => null);
    response.writeHead(content === null ? 404 : 200, {
      'content-type': TYPES[pathname.split('.').at(-1) ?? ''] ?? 'text/plain',
    });
    response.end(content ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
