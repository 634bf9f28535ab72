/** The lock by which processes change the stored state one after the other. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileStorage } from '../src/node/file-storage.ts';
import { freeLock, takeLock } from '../src/node/lock.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const folder = temporaryFolder('latchkey-lock-');

describe('the lock of the stored state', () => {
  it('lets one storage change the text at a time', async () => {
    const directory = join(folder, 'turns');
    const storages = Array.from({ length: 20 }, () => fileStorage(directory));
    await Promise.all(
      storages.map((storage) =>
        storage.exclusively?.(async () => storage.write(String(Number((await storage.read()) ?? '0') + 1))),
      ),
    );
    assert.equal(await storages[0]?.read(), '20');
    assert.deepEqual(await readdir(directory), ['state']);
  });

  it('is taken from a process that was killed', async () => {
    const directory = join(folder, 'killed');
    await mkdir(directory);
    await writeFile(join(directory, 'lock'), 'of a process that is gone');
    const storage = fileStorage(directory);
    await storage.exclusively?.(() => storage.write('text'));
    assert.equal(await storage.read(), 'text');
    assert.deepEqual(await readdir(directory), ['state']);
  });

  it('makes a change again if another process took the lock for abandoned, and does not free the other one', async () => {
    const directory = join(folder, 'lost');
    const storage = fileStorage(directory);
    let changes = 0;
    await storage.exclusively?.(async () => {
      changes += 1;
      const text = `${(await storage.read()) ?? ''}+`;
      if (changes === 1) {
        // Another process took the lock for abandoned, changed the text and has gone on to its next change.
        await writeFile(join(directory, 'lock'), 'of another process');
        await writeFile(join(directory, 'state'), 'other');
      }
      await storage.write(text);
    });
    assert.deepEqual([changes, await storage.read()], [2, 'other+']);
    assert.deepEqual(await readdir(directory), ['state']);
  });

  it('stays the one of its holder when another one frees it', async () => {
    const file = join(folder, 'free', 'lock');
    const text = await takeLock(file);
    assert.notEqual(text, null);
    await freeLock(file, 'another text');
    assert.equal(await readFile(file, 'utf8'), text);
    await freeLock(file, text as string);
    assert.deepEqual(await readdir(join(folder, 'free')), []);
  });

  it('stops nobody if it cannot be created', async () => {
    const file = join(folder, 'a file');
    await writeFile(file, '');
    assert.equal(await takeLock(join(file, 'lock')), null);
    const storage = fileStorage(file);
    assert.equal(await storage.exclusively?.(async () => 'done'), 'done');
  });
});
