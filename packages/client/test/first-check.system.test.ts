/**
 * The README's steps from nothing to a licensed app: `npm start`, the packed client in an empty folder, and ten lines
 * of code.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ADMIN_SECRET, sendRequest } from '../../server/test/support/app.ts';
import { processEnvironment } from '../../server/test/support/process-environment.ts';
import { type InstalledClient, installClient } from './support/installed-client.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
const [, snippet = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];

/** A JavaScript runtime: the program and the arguments before the file. */
interface Runtime {
  readonly name: string;
  readonly program: string | null;
  readonly args: readonly string[];
  readonly absent: string;
}

/** A program that is installed or named by a variable; null if it is missing or has another version. */
async function find(variable: string, places: readonly string[], version: RegExp): Promise<string | null> {
  const named = process.env[variable];
  for (const program of named ? [named] : places) {
    if (program.includes('/') && !existsSync(program)) continue;
    const said = await run(program, ['--version']).then(
      ({ stdout }) => stdout,
      () => '',
    );
    if (version.test(said)) return program;
  }
  return null;
}

const RUNTIMES: readonly Runtime[] = [
  { name: 'the Node.js of the tests', program: process.execPath, args: [], absent: '' },
  {
    name: 'Node.js 20',
    program: await find('NODE20_PATH', ['/usr/bin/node', '/usr/local/bin/node'], /^v20\./),
    args: [],
    absent: 'no Node.js 20: it is looked for in /usr/bin, in /usr/local/bin and in NODE20_PATH',
  },
  {
    name: 'Deno',
    program: await find('DENO_PATH', ['deno'], /^deno 2/),
    args: ['run', '--allow-all'],
    absent: 'no Deno 2: install it, or name it in DENO_PATH',
  },
  {
    name: 'Bun',
    program: await find('BUN_PATH', ['bun'], /^1\./),
    args: ['run'],
    absent: 'no Bun 1: install it, or name it in BUN_PATH',
  },
];

describe("the README's first check", () => {
  const agent = new Agent({ rejectUnauthorized: false });
  let installed: InstalledClient;
  let service: ChildProcess;
  let port: number;
  before(async () => {
    installed = await installClient();
    const data = join(installed.folder, 'data');
    await mkdir(data);
    service = spawn('npm', ['start'], {
      cwd: ROOT,
      env: {
        ...processEnvironment,
        HOME: installed.folder,
        HOST: '127.0.0.1',
        PORT: '0',
        LATCHKEY_DATA_DIR: data,
        LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    port = await new Promise((resolve, reject) => {
      service.once('exit', () => reject(new Error('npm start has ended')));
      createInterface({ input: service.stdout! }).on('line', (line) => {
        if (line.includes('"service.started"')) resolve(JSON.parse(line).port);
      });
    });
    await writeFile(join(installed.project, 'first.mjs'), snippet.replace(':8443', `:${port}`));
  });
  after(async () => {
    await stop();
    agent.destroy();
    await installed.remove();
  });

  async function stop(): Promise<void> {
    if (service.exitCode !== null || service.signalCode !== null) return;
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
  }

  const admin = async (path: string, fields: object) => {
    const { status, body } = await sendRequest(agent, port, path, { adminSecret: ADMIN_SECRET, ...fields }, {});
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const sold = async (): Promise<string> =>
    (await admin('/createLicense', { email: 'ada@example.com', productId: 'my-app' })).licenseKey;

  /** Starts the app for a user, and returns its output. */
  async function start({ program, args }: Runtime, user: string, ...key: readonly string[]): Promise<string> {
    const home = join(installed.folder, user.replaceAll(' ', '-'));
    const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: home };
    const { stdout, stderr } = await run(program ?? '', [...args, 'first.mjs', ...key], {
      cwd: installed.project,
      env,
    });
    assert.equal(stderr, '');
    return stdout.trim();
  }

  it('has ten lines, which are those of the guide', async () => {
    assert.ok(snippet.split('\n').filter((line) => line.trim() !== '').length <= 10);
    assert.ok((await readFile(join(ROOT, 'docs/apps/client.md'), 'utf8')).includes(snippet));
  });

  for (const runtime of RUNTIMES)
    it(`leads to a licensed app, and to a refused one after a revocation, run by ${runtime.name}`, async (test) => {
      if (runtime.program === null) return test.skip(runtime.absent);
      const key = await sold();
      const user = `ada of ${runtime.name}`;
      assert.equal(await start(runtime, user, key), 'licensed true');
      assert.equal(await start(runtime, user), 'licensed true');
      await admin('/revokeLicense', { licenseKey: key });
      assert.equal(await start(runtime, user), 'refused false');
    });

  it('shows grace when the service was stopped', async () => {
    const [runtime] = RUNTIMES as [Runtime];
    assert.equal(await start(runtime, 'bob', await sold()), 'licensed true');
    await stop();
    assert.equal(await start(runtime, 'bob'), 'grace true');
  });
});
