/** The clients of all languages, each with its entry (PROTOCOL.md), and whether this machine can build it. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Program } from './driver-process.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The client of a language. */
export interface Language {
  readonly name: string;
  readonly folder: string;
  readonly needs: readonly string[];
  readonly build: readonly (readonly string[])[];
  readonly test: readonly (readonly string[])[];
  readonly driver: readonly string[];
}

/** Every client, the reference first. */
export function findLanguages(): readonly Language[] {
  const entries = ['packages/client/conformance.json', ...globSync('clients/*/conformance.json', { cwd: ROOT }).sort()];
  return entries.map((path) => ({
    build: [],
    test: [],
    ...JSON.parse(readFileSync(join(ROOT, path), 'utf8')),
    folder: join(ROOT, dirname(path)),
  }));
}

/** The needed programs that the search path does not have. */
export function lackingPrograms({ needs }: Language): readonly string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return needs.filter((program) => !folders.some((folder) => isExecutable(join(folder, program))));
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
 * Runs command lines in the folder of a client. Throws with their output if one fails.
 *
 * @returns the lines of their output that name something left out
 */
export function runAll({ folder }: Language, commands: readonly (readonly string[])[]): readonly string[] {
  const leftOut: string[] = [];
  for (const [program = '', ...args] of commands) {
    const { status, stdout, stderr, error } = spawnSync(program, args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status !== 0) {
      const said = `${stdout ?? ''}${stderr ?? ''}`.slice(-6000);
      throw new Error(`${[program, ...args].join(' ')} failed: ${error?.message ?? `status ${status}`}\n${said}`);
    }
    leftOut.push(...stdout.split('\n').filter((line) => line.startsWith('left out ')));
  }
  return leftOut;
}

export function driverOf({ folder, driver }: Language): Program {
  return { command: driver, folder };
}
