/** Another process that holds the write lock of a SQLite file, as a backup or an operator's shell may. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSqliteFile } from './sqlite-file.ts';

export class LockHolder {
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  /** Starts the process and waits until it has the lock; it releases the lock after `milliseconds`, if given. */
  static async of(file: string, milliseconds = 3_600_000): Promise<LockHolder> {
    const child = spawn(process.execPath, [import.meta.filename, file, String(milliseconds)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    // It ends with the process that asked for it, and does not keep that alive.
    for (const handle of [child, child.stdin, child.stdout]) (handle as unknown as { unref(): void }).unref();
    return new LockHolder(child);
  }

  /** Releases the lock; resolves when the process has ended. */
  async release(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.ref();
    this.#process.stdin?.end();
    await ended;
  }
}

if (import.meta.main) {
  const [, , file = '', milliseconds] = process.argv;
  const database = openSqliteFile(file);
  database.exec('begin immediate');
  process.stdout.write('locked\n');
  const release = () => {
    database.exec('rollback');
    database.close();
    process.exit(0);
  };
  process.stdin.on('end', release).resume();
  setTimeout(release, Number(milliseconds));
}
