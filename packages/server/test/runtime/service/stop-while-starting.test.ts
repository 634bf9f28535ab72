/** A service that is stopped during its start does not complete it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freshFor } from '../../support/for-test.ts';
import { processEnvironment } from '../../support/process-environment.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

it('SIGTERM during the start ends it before the service listens', async (test) => {
  const directory = temporaryFolder(test);
  const database = await freshFor(test, 'postgres');
  const afterCursor = new URL(database.url);

  // Listens in front of PostgreSQL, and lets the first connection through once the signal has been sent.
  const sockets = new Set<Socket>();
  const first = Promise.withResolvers<void>();
  const signalled = Promise.withResolvers<void>();
  const workUnderWay = createServer(async (socket) => {
    first.resolve();
    await signalled.promise;
    const onward = connect(Number(afterCursor.port), afterCursor.hostname);
    for (const each of [socket, onward]) sockets.add(each.on('error', () => {}));
    socket.once('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
    if (socket.destroyed) onward.destroy();
  });
  await new Promise<void>((resolve) => workUnderWay.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    workUnderWay.close();
  });
  const url = new URL(afterCursor);
  url.host = `127.0.0.1:${(workUnderWay.address() as AddressInfo).port}`;

  const service = spawn(process.execPath, [MAIN], {
    env: { ...processEnvironment, HOST: '127.0.0.1', PORT: '0', LATCHKEY_DATA_DIR: directory, DATABASE_URL: url.href },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  test.after(() => service.kill('SIGKILL'));
  const ended = once(service, 'exit');
  const log = text(service.stdout);
  await first.promise;
  service.kill('SIGTERM');
  signalled.resolve();
  assert.deepEqual(await ended, [0, null]);
  assert.doesNotMatch(await log, /service\.started/);
});
