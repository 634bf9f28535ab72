/** The output of commands for lines: a new file, or the standard output. */
import { once } from 'node:events';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';

/** An output for lines. */
export interface Output {
  write(text: string): Promise<void>;
  finish(): void;
  /** Ends an incomplete output; removes a file. */
  abandon(): void;
}

/**
 * Opens the output that the command line names: a new file for its owner alone, or the standard output for `-`.
 *
 * @throws when a file of that name exists
 */
export function openOutput(file: string): Output {
  if (file === '-') return standardOutput;
  const path = resolve(process.env.INIT_CWD ?? '.', file);
  if (existsSync(path)) throw new Error(`${path} already exists; an export never replaces a file.`);
  return openNew(path, 0o600);
}

const standardOutput: Output = {
  async write(text) {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  },
  finish() {},
  abandon() {},
};

/**
 * Makes a file.
 *
 * @param mode who may read it
 * @throws when a file of that name exists
 */
export function openNew(file: string, mode: number): Output {
  const descriptor = openSync(file, 'wx', mode);
  return {
    async write(text) {
      const bytes = Buffer.from(text);
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    },
    finish() {
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
    abandon() {
      closeSync(descriptor);
      rmSync(file, { force: true });
    },
  };
}
