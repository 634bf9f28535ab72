/** The package of the service as an operator has it: packed, and installed into a clean folder without a network. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackage, packPackage } from '../../scripts/build-package.ts';

const run = promisify(execFile);

/** An installation. */
export interface InstalledPackage {
  /** The packed file. */
  readonly file: string;
  /** The folder that holds the installed files: package.json, bin, lib. */
  readonly folder: string;
  /** The command `latchkey` as npm has linked it. */
  readonly command: string;
  /**
   * Environment in which a process runs the command by its name: the Node.js of the tests, and none of npm's settings.
   */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Packs the service and installs it below a folder. npm gets an empty cache and no registry, so any download would
 * fail.
 */
export async function installPackage(place: string): Promise<InstalledPackage> {
  await buildPackage(join(place, 'built'));
  const file = await packPackage(join(place, 'built'), join(place, 'packed'));
  const clean = join(place, 'clean');
  await mkdir(clean, { recursive: true });
  await writeFile(join(clean, 'package.json'), '{}');
  const environment = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: place,
  };
  const nothing = ['--offline', '--cache', join(place, 'cache'), '--registry', 'http://127.0.0.1:1/'];
  await run('npm', ['install', '--no-audit', '--no-fund', ...nothing, file], { cwd: clean, env: environment });
  return {
    file,
    folder: join(clean, 'node_modules', '@latchkey', 'server'),
    command: join(clean, 'node_modules', '.bin', 'latchkey'),
    environment,
  };
}
