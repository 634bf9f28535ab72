/**
 * Builds the package that operators install: a few self-contained JavaScript files. It installs without a network and
 * without other packages, and runs below node_modules, where Node.js does not strip types.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { pictureNames } from '../src/runtime/reference/guides/guide-files.ts';
import { fileOf, GUIDES } from '../src/runtime/reference/guides/guide-list.ts';
import { readCommandLine } from './command-line.ts';
import { licenseTexts } from './third-party-licenses.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SERVER = fileURLToPath(new URL('../', import.meta.url));
/** Default folder of the package. */
const PACKAGE = join(SERVER, 'dist');

/**
 * The program, and the file that it starts as a thread by its name. Both must be in the folder of their shared files.
 */
const ENTRIES = ['cli.ts', 'runtime/dispatch/storage-thread-entry.ts', 'runtime/engines/sender-thread-entry.ts'];

/**
 * The largest packages that every thread loads, each in a separate file: while Node.js reads a file it takes six times
 * its size, which the process keeps. In a single file they cost 8 MB.
 */
const PACKAGES_APART = ['typebox', 'typebox/compile', 'pg'];

/** The oldest supported major version of Node.js. */
const NODE_MAJOR = 26;

/** CommonJS packages call `require` for Node.js built-ins. */
const REQUIRE = [
  "import { createRequire as createRequireOfPackage } from 'node:module';",
  'const require = createRequireOfPackage(import.meta.url);',
].join('\n');

const USAGE = `Usage: npm run package -- [FOLDER]

Writes the files of the package into packages/server/dist/ and, with a folder, packs them there as
latchkey-server-VERSION.tgz.
`;

/** Writes the package into a folder and replaces its contents. */
export async function buildPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [
      ...ENTRIES.map((file) => ({ in: join(SERVER, 'src', file), out: basename(file, '.ts') })),
      ...PACKAGES_APART.map((name) => ({ in: fileURLToPath(import.meta.resolve(name)), out: name.replace('/', '-') })),
    ],
    outdir: join(folder, 'lib'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${NODE_MAJOR}`,
    banner: { js: REQUIRE },
    // An optional C driver that `pg` uses if it is installed.
    external: ['pg-native'],
    // Stack traces keep the names of functions and files; the license texts are in a separate file.
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const consolePackages = await buildConsole(join(folder, 'lib', 'console'));
  copyGuides(join(folder, 'lib', 'guides'));
  copyFileSync(join(SERVER, 'bin', 'latchkey.cjs'), join(folder, 'bin', 'latchkey.cjs'));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(SERVER, 'package-readme.md'), join(folder, 'README.md'));
  writeFileSync(
    join(folder, 'THIRD-PARTY-LICENSES.txt'),
    licenseTexts(ROOT, [...Object.keys(metafile.inputs), ...consolePackages]),
  );
  const source = JSON.parse(readFileSync(join(SERVER, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(source), null, 2)}\n`);
}

/**
 * Builds the console into the folder where the packaged service looks for it.
 *
 * @returns one file of each package in the console, relative to the root
 */
async function buildConsole(folder: string): Promise<readonly string[]> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'packages', 'console', 'scripts', 'build.ts'), folder]);
  const list = join(folder, 'bundled-packages.json');
  const names = JSON.parse(readFileSync(list, 'utf8')) as readonly string[];
  for (const file of readdirSync(folder)) if (file.startsWith('bundled-packages.json')) rmSync(join(folder, file));
  return names.map((name) => `node_modules/${name}/package.json`);
}

/** Copies the guides and their pictures into the folder where the packaged service looks for them. */
function copyGuides(folder: string): void {
  for (const file of [...GUIDES.map(fileOf), ...pictureNames().map((name) => join('images', name))]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(ROOT, 'docs', file), join(folder, file));
  }
}

/**
 * The package.json of the package: it has no dependencies, and provides a command and no exports.
 *
 * @param source the package.json of the workspace; `repository` and `homepage` are taken over if the publisher has
 *   filled them in
 */
export function manifestOf(source: Readonly<Record<string, unknown>>): object {
  const { name, version, description, license, repository, homepage } = source;
  return {
    name,
    version,
    description,
    license,
    repository,
    homepage,
    type: 'module',
    bin: { latchkey: 'bin/latchkey.cjs' },
    engines: { node: `>=${NODE_MAJOR}` },
    files: ['bin', 'lib', 'THIRD-PARTY-LICENSES.txt'],
    publishConfig: { access: 'public' },
  };
}

/**
 * Packs the output of {@link buildPackage}.
 *
 * @param destination folder for the packed file; created if missing
 * @returns the path of the file
 */
export async function packPackage(folder: string, destination: string): Promise<string> {
  mkdirSync(destination, { recursive: true });
  const args = ['pack', folder, '--json', '--pack-destination', destination];
  // Not in a folder of the workspace, because npm would pack that one.
  const { stdout } = await promisify(execFile)('npm', args, { cwd: destination });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(destination, filename);
}

if (import.meta.main) {
  const [destination] = readCommandLine(USAGE, {}, 1).positionals;
  const from = process.env.INIT_CWD ?? process.cwd();
  await buildPackage(PACKAGE);
  const made = destination === undefined ? PACKAGE : await packPackage(PACKAGE, resolve(from, destination));
  process.stdout.write(`${relative(from, made) || '.'}\n`);
}
