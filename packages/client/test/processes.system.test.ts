/** Processes of an app and of the server that start and end. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { ADMIN_SECRET } from '../../server/test/support/app.ts';
import { fixedPort } from '../../server/test/support/fixed-port.ts';
import { startServerProcess } from '../../server/test/support/server-process.ts';
import { startedApp } from '../../server/test/support/started-app.ts';
import { createLatchkey } from '../src/node.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const folder = temporaryFolder('latchkey-processes-');

describe('the processes of an app on one machine', () => {
  const app = startedApp('sqlite');

  /** Starts an app. Returns it with the first line of its output. */
  async function start(machine: string, licenseKey?: string): Promise<{ child: ChildProcess; said: string }> {
    const args = [`https://127.0.0.1:${app.port}`, join(app.directory, 'tls-cert.pem'), join(folder, machine), machine];
    const program = join(import.meta.dirname, 'support/app-process.ts');
    const child = spawn(process.execPath, [program, ...args, ...(licenseKey === undefined ? [] : [licenseKey])], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [said] = await once(createInterface({ input: child.stdout }), 'line');
    return { child, said };
  }

  async function stop({ child }: { child: ChildProcess }): Promise<void> {
    const exited = once(child, 'exit');
    child.stdin?.end();
    await exited;
  }

  async function kill({ child }: { child: ChildProcess }): Promise<void> {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  it('share one seat, which the last of them gives back, also when one was killed', async () => {
    const key = await app.license({ licenseType: 'floating', maxConcurrent: 3 });
    const seats = async () =>
      (await app.send('/verify', { licenseKey: key, productId: 'app' })).body.machinesUsed as number;
    const first = await start('desk', key);
    const others = await Promise.all(Array.from({ length: 19 }, () => start('desk')));
    assert.deepEqual(
      [first, ...others].map(({ said }) => said),
      Array(20).fill('licensed'),
    );
    assert.equal(await seats(), 1);
    const road = await start('road', key);
    assert.equal(road.said, 'licensed', 'another machine has a seat of its own');
    const lost = await start('lost', key);
    assert.deepEqual([lost.said, await seats()], ['licensed', 3]);
    const late = await start('late', key);
    assert.deepEqual([late.said, await seats()], ['waiting', 3], 'three seats are three');
    await Promise.all([stop(late), stop(road), kill(lost)]);
    assert.equal(await seats(), 2, 'who was killed gives nothing back');
    const [killed, ...left] = others;
    await kill(killed!);
    await Promise.all(left.map(stop));
    assert.equal(await seats(), 2, 'one is left');
    await stop(first);
    assert.equal(await seats(), 1, 'that of the one that was killed');
    app.clock.move(16 * 60_000);
    assert.equal(await seats(), 0, 'its time is over');
  });
});

describe('an app whose server is killed', () => {
  it('goes on, and is licensed again once the server is back; an empty server stops it no more than a dead one', async () => {
    const data = join(folder, 'data');
    const database = { engine: 'sqlite', file: join(data, 'latchkey.db') } as const;
    const port = String(await fixedPort());
    let server = await startServerProcess(database, { LATCHKEY_DATA_DIR: data, PORT: port });
    const ca = await readFile(join(data, 'tls-cert.pem'), 'utf8');
    const fields = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' };
    const { licenseKey } = (await server.send('/createLicense', fields)).body;

    /** Starts the app again and returns its status; `activate` enters the key. */
    async function status(activate = false): Promise<string> {
      const latchkey = createLatchkey({
        server: `https://127.0.0.1:${port}`,
        productId: 'app',
        ca,
        directory: join(folder, 'app'),
        fingerprint: 'desk',
      });
      await latchkey.start();
      if (activate) await latchkey.activate(licenseKey);
      const state = await latchkey.check();
      await latchkey.close();
      return state.status;
    }

    try {
      assert.equal(await status(true), 'licensed');
      await server.kill();
      assert.equal(await status(), 'grace');

      // With the same certificate, because otherwise the client would ignore all its answers.
      const empty = join(folder, 'empty');
      await mkdir(empty);
      for (const file of ['tls-cert.pem', 'tls-key.pem']) await copyFile(join(data, file), join(empty, file));
      server = await startServerProcess(database, { LATCHKEY_DATA_DIR: empty, PORT: port });
      assert.equal((await server.send('/verify', { licenseKey, productId: 'app' })).status, 404);
      assert.equal(await status(), 'grace');
      await server.kill();

      server = await startServerProcess(database, { LATCHKEY_DATA_DIR: data, PORT: port });
      assert.equal(await status(), 'licensed');
    } finally {
      await server.kill();
    }
  });
});
