/** The common frame of all programs of the bench. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@latchkey/server/ground/base/clock.ts';
import { readConfig } from '@latchkey/server/runtime/config/read-config.ts';
import { openCertificate } from '@latchkey/server/runtime/http/certificate.ts';
import type { CertificateWithKey } from './control-server.ts';
import { OptionsError } from './option-values.ts';

/** A program of the bench. */
export interface Program<Options> {
  /** The output of `--help`. */
  readonly usage: string;
  /** @returns null for `--help` */
  readOptions(args: readonly string[]): Options | null;
  /**
   * Runs the program.
   *
   * @param directory for temporary files; removed at the end
   * @param running stops everything the program started
   * @returns true on success; otherwise the exit code is 1
   */
  run(options: Options, directory: string, running: AsyncDisposableStack): Promise<boolean>;
}

/** Runs a program with the command line of this process. An interruption stops everything that it started. */
export async function runProgram<Options>(program: Program<Options>): Promise<void> {
  // The reader of the output may close the pipe early, as `head` does; everything that was started is still stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    const options = program.readOptions(process.argv.slice(2));
    if (options === null) process.stdout.write(program.usage);
    else if (!(await inDirectory((directory) => runStoppably(program, options, directory)))) process.exitCode = 1;
  } catch (error) {
    const usage = error instanceof OptionsError ? `\n${program.usage}` : '';
    process.stderr.write(`${(error as Error).message}\n${usage}`);
    // Not only the exit code: interrupted work may still be running.
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

/** Rejects on SIGINT or SIGTERM. */
function interruption(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error('Interrupted.')));
  });
}

/** Creates the certificate that Latchkey would create in its data directory; Latchkey finds it when it starts. */
export function certificateIn(dataDirectory: string): Promise<CertificateWithKey> {
  return openCertificate(readConfig({ LATCHKEY_DATA_DIR: dataDirectory }), systemClock());
}
