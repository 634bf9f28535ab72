/** The work of a storage thread in this thread: once closed, it has left nothing that a next file would meet. */
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import type { FromThread, ToThread } from '../../../src/runtime/dispatch/messages.ts';
import { serveStorage } from '../../../src/runtime/dispatch/serve-storage.ts';
import { SETTINGS } from '../../support/contexts.ts';
import { freshDatabase } from '../../support/databases.ts';

/** Where Linux lists the open files of this process. */
const OPEN_FILES = '/proc/self/fd';

/** Names of the open files of this process; none on systems that do not list them. */
function openFiles(): readonly string[] {
  if (!existsSync(OPEN_FILES)) return [];
  return readdirSync(OPEN_FILES).flatMap((descriptor) => {
    try {
      return [readlinkSync(`${OPEN_FILES}/${descriptor}`)];
    } catch {
      // The descriptor by which the folder was read.
      return [];
    }
  });
}

describe('the work of a storage thread', () => {
  for (const role of ['writer', 'reader'] as const)
    it(`leaves no timer and no open file behind: the ${role}`, async (test) => {
      const shared = await freshDatabase('sqlite', test);
      const { file } = shared.database as { file: string };
      const timers = new Set<number>();
      const hook = createHook({
        init: (id, type) => void (type === 'Timeout' && timers.add(id)),
        destroy: (id) => void timers.delete(id),
      }).enable();
      test.after(() => hook.disable());
      const { port1: here, port2: port } = new MessageChannel();
      const failures: FromThread[] = [];
      const ready = new Promise<void>((resolve) =>
        here.on('message', (message: FromThread) => {
          if (message.kind === 'ready') resolve();
          if (message.kind === 'failure') failures.push(message);
        }),
      );
      await serveStorage(port, { role, file, settings: SETTINGS, isMeasured: true });
      await ready;
      assert.ok(timers.size > 0, 'it has jobs and measurements at intervals');
      const closed = once(here, 'close');
      here.postMessage({ kind: 'close' } satisfies ToThread);
      await closed;
      await nextTurn();
      assert.equal(timers.size, 0);
      assert.deepEqual(
        openFiles().filter((name) => name.startsWith(file)),
        [],
      );
      assert.deepEqual(failures, []);
    });

  it('sends its measurements once a second', async (test) => {
    const shared = await freshDatabase('sqlite', test);
    const { file } = shared.database as { file: string };
    test.mock.timers.enable({ apis: ['setInterval'] });
    const { port1: here, port2: port } = new MessageChannel();
    const kinds: FromThread['kind'][] = [];
    here.on('message', ({ kind }: FromThread) => kinds.push(kind));
    await serveStorage(port, { role: 'writer', file, settings: SETTINGS, isMeasured: true });
    test.mock.timers.tick(1_999);
    const closed = once(here, 'close');
    here.postMessage({ kind: 'close' } satisfies ToThread);
    await closed;
    assert.equal(kinds.filter((kind) => kind === 'measured').length, 1);
  });
});
