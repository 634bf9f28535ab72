/**
 * A service that is killed after a write, in a process of its own: `FILE`, or `FILE inexact` where times of changes are
 * not exact. It leaves its log, and its last look at the file.
 */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { openStorage } from '../../src/storage/opening/open.ts';
import { keepSeen } from '../../src/storage/sqlite/foreign-write.ts';
import { watchFile } from '../../src/storage/sqlite/watched-file.ts';
import { insertCounter } from './tables.ts';

const [, , file = '', times] = process.argv;
const { watched } = watchFile(file);
if (watched === undefined) throw new Error('the file is not watched');
keepSeen(file, { ...watched.seen, changedAt: times === 'inexact' ? 0 : statSync(file).mtimeMs });
// The collector may run at any time; here it runs before the service writes.
assert.ok(gc, 'node --expose-gc');
gc();
await setImmediate();
const storage = await openStorage({ engine: 'sqlite', file });
await storage.transaction((tx) => tx.run(insertCounter, 'kept', 1));
process.kill(process.pid, 'SIGKILL');
