/** Counts the machine instructions of Node.js processes with callgrind, a tool of Valgrind. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OptionsError } from './option-values.ts';

const run = promisify(execFile);

/** Counts the instructions of the processes that are started after it. */
export class InstructionCounter {
  readonly #folder: string;

  /** Makes Node.js start below Valgrind from now on, for all versions of Latchkey. @throws without Valgrind */
  static async start(folder: string): Promise<InstructionCounter> {
    await run('valgrind', ['--version']).catch(() => {
      throw new OptionsError('no valgrind: install it, on Debian by apt-get install valgrind');
    });
    await mkdir(folder, { mode: 0o700 });
    const wrapper = join(folder, 'node');
    const options = `--tool=callgrind --fair-sched=yes --callgrind-out-file='${folder}/counts.%p'`;
    await writeFile(wrapper, `#!/bin/sh\nexec valgrind ${options} '${process.execPath}' "$@"\n`);
    await chmod(wrapper, 0o700);
    process.execPath = wrapper;
    return new InstructionCounter(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the instructions that a process has run since the last call. @throws if Valgrind tells none */
  async take(pid: number): Promise<number> {
    // Valgrind names its pipes by the HOST of the service.
    await run('callgrind_control', ['-d', String(pid)], { env: { ...process.env, HOST: '127.0.0.1' } });
    const dumps = (await readdir(this.#folder)).filter((name) => name.startsWith(`counts.${pid}.`));
    let instructions = 0;
    for (const dump of dumps) {
      const file = join(this.#folder, dump);
      instructions += Number(/^totals: (\d+)/m.exec(await readFile(file, 'utf8'))?.[1]);
      await rm(file);
    }
    if (!(instructions > 0)) throw new Error(`Valgrind counted nothing in process ${pid}`);
    return instructions;
  }
}
