/** The package as developers get it: built, packed, and installed into an empty project without a network. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface InstalledClient {
  /** The folder that contains all others. */
  readonly folder: string;
  /** The built package. */
  readonly built: string;
  readonly packed: string;
  /** The files in the package. */
  readonly files: readonly string[];
  /** The project that has it as its only dependency. */
  readonly project: string;
  remove(): Promise<void>;
}

export async function installClient(): Promise<InstalledClient> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-package-'));
  const built = join(folder, 'built');
  await run(process.execPath, [join(import.meta.dirname, '../../scripts/build.ts'), built]);
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [report] = Object.values<{ filename: string; files: { path: string }[] }>(
    JSON.parse((await run('npm', pack, { cwd: built })).stdout),
  );
  if (report === undefined) throw new Error('npm has packed nothing');
  const packed = join(folder, report.filename.replace('@', '').replace('/', '-'));
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
  const offline = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  await run('npm', ['install', ...offline, packed], { cwd: project });
  const files = report.files.map(({ path }) => path);
  return { folder, built, packed, files, project, remove: () => rm(folder, { recursive: true, force: true }) };
}
