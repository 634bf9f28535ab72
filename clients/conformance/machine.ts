/** A machine of a customer: its disk, its clock and the folder of the stored state. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FOLDER } from './folder.ts';

const run = promisify(execFile);

export class Machine {
  readonly name: string;
  /** By which the front knows it. */
  readonly id: string;
  readonly base: string;
  /** The error of its clock in milliseconds. */
  skewMs = 0;
  /** Time that a monotonic clock did not count, because the machine slept. */
  sleptMs = 0;
  isFull = false;

  private constructor(name: string, id: string, base: string) {
    this.name = name;
    this.id = id;
    this.base = base;
  }

  static async make(name: string, id: string): Promise<Machine> {
    return new Machine(name, id, await mkdtemp(join(FOLDER, 'latchkey-conformance-')));
  }

  /** The folder that a client takes for the product `app` if `XDG_STATE_HOME` is {@link base}. */
  get directory(): string {
    return join(this.base, 'latchkey', 'app');
  }

  place(name: string): string {
    return join(this.directory, name);
  }

  async text(name = 'state'): Promise<string | null> {
    return readFile(this.place(name), 'utf8').catch(() => null);
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(this.place(name)), { recursive: true });
    await writeFile(this.place(name), text);
  }

  async remove(name: string): Promise<void> {
    await rm(this.place(name), { force: true, recursive: true });
  }

  /** The files in the folder; those of running clients as one name. */
  async files(): Promise<readonly string[]> {
    const names = await readdir(this.directory).catch(() => [] as string[]);
    const clients = await readdir(this.place('processes')).catch(() => [] as string[]);
    return [...names.filter((name) => name !== 'processes'), ...(clients.length > 0 ? ['processes'] : [])].sort();
  }

  /** Whether a client of a process counts as running on this machine. */
  async hasClientOf(processId: number): Promise<boolean> {
    const clients = await readdir(this.place('processes')).catch(() => [] as string[]);
    return clients.some((name) => name.startsWith(`${processId}.`));
  }

  /** Sets the time of the last change of every file, milliseconds since 1970. */
  async touch(time: number): Promise<void> {
    const names = await readdir(this.directory, { recursive: true }).catch(() => [] as string[]);
    for (const name of ['.', ...names]) await utimes(this.place(name), time / 1000, time / 1000).catch(() => {});
  }

  /**
   * Puts a file in the place of the folder, which then no user can read or write, not even root. Unblocking restores
   * the folder.
   */
  async block(isBlocked: boolean): Promise<void> {
    const aside = `${this.directory}.aside`;
    if (isBlocked) {
      await mkdir(this.directory, { recursive: true });
      await rename(this.directory, aside);
      await writeFile(this.directory, '');
    } else {
      await rm(this.directory, { force: true });
      await rename(aside, this.directory);
    }
  }

  /** Lets a process write no further byte to any file, as on a full disk. */
  async fill(processId: number, isFull: boolean): Promise<void> {
    await run('prlimit', ['--pid', String(processId), `--fsize=${isFull ? '0:' : 'unlimited:'}`]);
  }

  async discard(): Promise<void> {
    await rm(this.base, { recursive: true, force: true });
  }
}
