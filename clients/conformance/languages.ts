/** The clients of all languages, each with its entry (PROTOCOL.md), and whether this machine can build it. */
import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Program } from './driver-process.ts';
import { run } from './pages.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The end of an output, in characters, that is shown when a command fails. */
const MAX_SHOWN = 6000;

/** The client of a language. */
export interface Language {
  readonly name: string;
  readonly folder: string;
  readonly needs: readonly string[];
  readonly build: readonly (readonly string[])[];
  readonly test: readonly (readonly string[])[];
  /** Tests that take many minutes. */
  readonly long: readonly (readonly string[])[];
  readonly driver: readonly string[];
}

/** Every client, the reference first. */
export function findLanguages(): readonly Language[] {
  const entries = ['packages/client/conformance.json', ...globSync('clients/*/conformance.json', { cwd: ROOT }).sort()];
  return entries.map((path) => ({
    build: [],
    test: [],
    long: [],
    ...JSON.parse(readFileSync(join(ROOT, path), 'utf8')),
    folder: join(ROOT, dirname(path)),
  }));
}

/** The needed programs that the search path does not have, and the needed files that are absent. */
export function lackingPrograms({ needs }: Language): readonly string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isThere = (need: string) =>
    isAbsolute(need) ? existsSync(need) : folders.some((folder) => isExecutable(join(folder, need)));
  return needs.filter((need) => !isThere(need));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return existsSync(file);
  } catch {
    return false;
  }
}

/**
 * Runs command lines in the folder of a client in their order. Throws with their output if one fails.
 *
 * @returns the lines of their output that name something left out
 */
export async function runAll(
  { folder }: Language,
  commands: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const leftOut: string[] = [];
  for (const [program = '', ...args] of commands) {
    const said = await run(program, args, {}, folder).catch((error: Error) => {
      throw new Error(error.message.length > MAX_SHOWN ? `… ${error.message.slice(-MAX_SHOWN)}` : error.message);
    });
    leftOut.push(...said.split('\n').filter((line) => line.startsWith('left out ')));
  }
  return leftOut;
}

/** Whether the driver of a language is there already. */
export function isBuilt({ folder, driver }: Language): boolean {
  return driver.filter((part) => part.includes('/')).every((path) => existsSync(join(folder, path)));
}

export function driverOf({ folder, driver }: Language): Program {
  return { command: driver, folder };
}
