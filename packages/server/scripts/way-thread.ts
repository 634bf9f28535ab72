/**
 * Loaded into every thread of a service by way.ts. On SIGUSR2 each thread writes the functions that it ran since the
 * signal before to WAY_FOLDER, as V8 counted them.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';
import { isMainThread, threadId, workerData } from 'node:worker_threads';

const folder = process.env.WAY_FOLDER!;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const name = isMainThread ? 'main thread' : `${workerData?.role ?? 'thread'} thread`;
// Its existence says that the thread takes part in each count.
writeFileSync(join(folder, `thread-${threadId}`), '');

const write = (count: number) =>
  session.post('Profiler.takePreciseCoverage', (error, taken?: Profiler.TakePreciseCoverageReturnType) => {
    if (error !== null) throw error;
    const file = join(folder, `${count}-${threadId}.json`);
    writeFileSync(`${file}.new`, JSON.stringify({ name, scripts: taken?.result ?? [] }));
    renameSync(`${file}.new`, file);
  });

const counts = new BroadcastChannel('way');
counts.unref();
if (isMainThread) {
  mkdirSync(folder, { recursive: true });
  let count = 0;
  process.on('SIGUSR2', () => {
    count += 1;
    counts.postMessage(count);
    write(count);
  });
} else counts.onmessage = (event) => write(Number(Reflect.get(event, 'data')));
