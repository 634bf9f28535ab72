/** The output of commands for lines: a new file, or the standard output. */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';

/** An output for lines. */
export interface Output {
  write(text: string): Promise<void>;
  finish(): void;
  /** Ends an incomplete output; removes a file. */
  abandon(): void;
}

/** The reader of the standard output has left, as `head` does after its lines. */
export class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft';
}

/**
 * Opens the output that the command line names: a new file for its owner alone, or the standard output for `-`.
 *
 * @returns its `write` rejects with {@link ReaderLeft} when nobody reads the standard output any more
 * @throws when a file of that name exists
 */
export function openOutput(file: string): Output {
  if (file === '-') return standardOutput;
  const path = resolve(process.env.INIT_CWD ?? '.', file);
  if (existsSync(path)) throw new Error(`${path} already exists; an export never replaces a file.`);
  return openNew(path, 0o600);
}

const standardOutput: Output = {
  write: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => {
        if (error == null) resolve();
        else reject(isEndOfReader(error) ? new ReaderLeft() : error);
      });
    }),
  finish() {},
  abandon() {},
};

/** Whether an error of the standard output means that its reader has left: the first error, and those after it. */
function isEndOfReader({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

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
