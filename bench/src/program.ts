/** What every program of the bench does around its work. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@latchkey/server/clock.ts';
import { readConfig } from '@latchkey/server/config.ts';
import { openCertificate } from '@latchkey/server/http/certificate.ts';
import type { CertificateWithKey } from './control-server.ts';
import { OptionsError } from './option-values.ts';

/** A program. */
export interface Program<Options> {
  /** What `--help` prints. */
  readonly usage: string;
  /** @returns null when help was asked for */
  readOptions(args: readonly string[]): Options | null;
  /**
   * Does it.
   *
   * @param directory for what is written; removed at the end
   * @param running stops what it started
   * @returns whether all is well; else the exit code is 1
   */
  run(options: Options, directory: string, running: AsyncDisposableStack): Promise<boolean>;
}

/** Runs a program with the command line of this process. When the user has had enough, all that runs is stopped. */
export async function runProgram<Options>(program: Program<Options>): Promise<void> {
  try {
    const options = program.readOptions(process.argv.slice(2));
    if (options === null) process.stdout.write(program.usage);
    else if (!(await inDirectory((directory) => runStoppably(program, options, directory)))) process.exitCode = 1;
  } catch (error) {
    const usage = error instanceof OptionsError ? `\n${program.usage}` : '';
    process.stderr.write(`${(error as Error).message}\n${usage}`);
    // Not only the exit code: what was interrupted may still be at work.
    process.exit(1);
  }
}

async function inDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runStoppably<Options>(program: Program<Options>, options: Options, directory: string): Promise<boolean> {
  await using running = new AsyncDisposableStack();
  return await Promise.race([program.run(options, directory, running), interruption()]);
}

/** Rejects when the user has had enough. */
function interruption(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error('Interrupted.')));
  });
}

/** The certificate that Latchkey would make for itself in its data directory, and finds there when it starts. */
export function certificateIn(dataDirectory: string): Promise<CertificateWithKey> {
  return openCertificate(readConfig({ LATCHKEY_DATA_DIR: dataDirectory }), systemClock());
}
