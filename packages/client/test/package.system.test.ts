/** The npm package: its content, its size, and that it works after installation. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { type InstalledClient, installClient } from './support/installed-client.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/** Minified and compressed, in bytes; docs/contributors/decisions gives the reasons. */
const LARGEST = { index: 14_400, node: 17_900, electron: 18_300, file: 1_500 };
const ON_NODE = ['node', 'electron'];

/** The folder of a package of this repository. */
const folderOf = (name: string, from = require) => dirname(from.resolve(`${name}/package.json`));

let installed: InstalledClient;
let project: string;
let built: string;
let files: readonly string[];
before(async () => {
  installed = await installClient();
  ({ project, built, files } = installed);
});
after(() => installed.remove());

/** Compiles a file of the project; fails with the complaints of the compiler. */
async function compile(file: string, text: string, options: string, typescript = folderOf('typescript')) {
  await writeFile(join(project, file), text);
  const args = [join(typescript, 'bin/tsc'), '--noEmit', '--strict', ...options.split(' '), file];
  await run(process.execPath, args, { cwd: project }).catch((error) => assert.fail(error.stdout));
}

describe('the package', () => {
  it('holds what is built, a page for readers, and nothing else', () => {
    const others = files.filter((path) => !/^dist\/(?:\w+\/)?[\w-]+\.(?:js|d\.ts)$/.test(path));
    assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'package.json']);
    assert.ok(files.includes('dist/index.js') && files.includes('dist/node.d.ts'));
  });

  it('needs no other package, and its types neither', async () => {
    const manifest = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'));
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      assert.equal(manifest[kind], undefined);
    for (const path of files.filter((each) => each.startsWith('dist/'))) {
      const text = await readFile(join(built, path), 'utf8');
      for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g))
        assert.ok(/^\.\.?\/[\w./-]+\.js$/.test(target) || target.startsWith('node:'), `${path} imports ${target}`);
    }
  });

  for (const [entry, limit] of Object.entries(LARGEST))
    it(`has an entry ${entry} of ${limit} bytes at most`, async () => {
      const { outputFiles, metafile } = await build({
        entryPoints: [join(built, 'dist', `${entry}.js`)],
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        format: 'esm',
        target: 'es2022',
        platform: ON_NODE.includes(entry) ? 'node' : 'browser',
      });
      const size = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
      assert.ok(size > 500 && size <= limit, `${size} bytes`);
      const loaded = Object.keys(metafile.inputs).filter((path) => path.includes('dist/node'));
      assert.equal(loaded.length > 0, ON_NODE.includes(entry), loaded.join());
    });

  it('is found in order by publint, and its types by attw', async () => {
    await run(join(ROOT, '../../node_modules/.bin/publint'), ['--strict'], { cwd: built });
    // CommonJS requires the package as it is: docs/apps/client.md says from which Node.js on.
    const allowed = ['--ignore-rules', 'cjs-resolves-to-esm'];
    await run(join(ROOT, '../../node_modules/.bin/attw'), [installed.packed, ...allowed]);
  });

  it('could be published as it is, for everybody', async () => {
    const offline = ['--registry', 'http://127.0.0.1:1/', '--fetch-retries', '0'];
    const cache = ['--cache', join(installed.folder, 'cache')];
    const args = ['publish', '--loglevel', 'notice', '--dry-run', '--ignore-scripts', ...offline, ...cache];
    const { stderr } = await run('npm', args, { cwd: built });
    assert.match(stderr, /with tag latest and public access \(dry-run\)/);
    const complaints = stderr.split('\n').filter((line) => /^npm (?:warn|error)/.test(line));
    assert.deepEqual(
      complaints.filter((line) => !/logged in|Unknown .* config/.test(line)),
      [],
    );
  });

  it('has a page whose links and commands work on a page of its own', async () => {
    const page = await readFile(join(built, 'README.md'), 'utf8');
    assert.deepEqual([...page.matchAll(/\]\((?!https:)[^)]*\)/g)].map(String), []);
    const commands = [...page.matchAll(/^npx (.+)$/gm)].map(([, command = '']) => command.split(/\s+/));
    assert.ok(commands.length > 0);
    for (const [name = '', ...args] of commands) {
      // Offline, npx finds only the packages of the project.
      const help = ['--offline', '--no', '--', name, ...args.slice(0, 1), '--help'];
      const { stdout } = await run('npx', help, { cwd: project });
      assert.match(stdout, /^Usage: latchkey-client try/);
    }
  });

  it('brings the command latchkey-client', async () => {
    const { stdout } = await run(join(project, 'node_modules/.bin/latchkey-client'), ['--help']);
    assert.match(stdout, /^Usage: latchkey-client try/);
  });

  it('can be required by CommonJS', async () => {
    const code = `const { createLatchkey } = require('@latchkey/client/node'); console.log(typeof createLatchkey);`;
    await writeFile(join(project, 'common.cjs'), code);
    assert.equal((await run(process.execPath, ['common.cjs'], { cwd: project })).stdout, 'function\n');
  });

  it('is understood by an older TypeScript that resolves modules as Node.js 10 did', async () => {
    const core = createRequire(require.resolve('@arethetypeswrong/core/package.json'));
    const imports = ['', '/node', '/electron', '/file'].map(
      (path, n) => `import * as m${n} from '@latchkey/client${path}';`,
    );
    const code = `${imports.join('\n')}
      export const status: string = m1.createLatchkey({ server: '', productId: '' }).state.status;
      export const made = [m0.createLatchkey, m2.createLatchkey, m3.readLicenseFile];`;
    const options = '--module commonjs --moduleResolution node10 --target es2022';
    await compile('node10.ts', code, options, folderOf('typescript', core));
  });

  it('is understood by TypeScript, with every check and without the types of Node.js', async () => {
    const code = `import { createLatchkey, type LicenseState, Refused } from '@latchkey/client/node';
      import { readLicenseFile } from '@latchkey/client/file';
      const latchkey = createLatchkey({ server: 'https://licenses.example.com', productId: 'app' });
      latchkey.on('grace-ending', ({ hoursLeft }: { hoursLeft: number }) => hoursLeft.toFixed());
      export const until = (state: LicenseState): string | null => (state.status === 'licensed' ? state.until : null);
      export const code = (error: unknown) => (error instanceof Refused ? error.code : null);
      export const read = readLicenseFile;
      // @ts-expect-error keys without the issuer verify nothing
      createLatchkey({ server: 'https://licenses.example.com', productId: 'app', publicKeys: [] });
      createLatchkey({ server: 'https://licenses.example.com', productId: 'app', publicKeys: [], issuer: 'urn:latchkey:a' });
      // @ts-expect-error a state that may not run has no end
      export const wrong = (state: LicenseState) => state.until;`;
    await compile('typed.ts', code, '--module nodenext --target es2022 --lib es2022 --types ');
  });

  it('lets the first check of the README compile as first.mts', async () => {
    const readme = await readFile(join(ROOT, '../../README.md'), 'utf8');
    const [, snippet = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
    const types = dirname(folderOf('@types/node'));
    await compile('first.mts', snippet, `--module nodenext --target es2022 --types node --typeRoots ${types}`);
  });
});
