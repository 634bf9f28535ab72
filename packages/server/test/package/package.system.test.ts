/** The package that operators install: its contents, that it needs nothing else, and that its service works. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { manifestOf } from '../../scripts/build-package.ts';
import { GUIDES } from '../../src/runtime/reference/guides/guide-list.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { engines, freshDatabase } from '../support/databases.ts';
import { type InstalledPackage, installPackage } from '../support/installed-package.ts';
import { writeMmdb } from '../support/mmdb-writer.ts';
import { startServerProcess } from '../support/server-process.ts';

const run = promisify(execFile);
const IS_WINDOWS = process.platform === 'win32' && 'npm makes other links there';

describe('the package', { skip: IS_WINDOWS }, () => {
  const place = mkdtempSync(join(tmpdir(), 'latchkey-package-'));
  let installed: InstalledPackage;
  before(async () => {
    installed = await installPackage(place);
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  /** Runs the command by its name, as a shell would. */
  const latchkey = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    run(installed.command, args, { cwd: place, env: { ...installed.environment, ...environment } });

  it('has JavaScript only, the licenses of its contents, and no other package', () => {
    const files = readdirSync(installed.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(installed.folder.length + 1));
    const isBeside = (file: string) => /^lib\/(?:console|guides)\//.test(file);
    const others = files.filter((file) => !isBeside(file) && !/^(?:bin\/latchkey\.cjs|lib\/[\w-]+\.js)$/.test(file));
    assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.txt', 'package.json']);
    assert.deepEqual(
      readdirSync(join(installed.folder, '..', '..')).filter((name) => !name.startsWith('.')),
      ['@latchkey'],
    );
    const licenses = readFileSync(join(installed.folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const { version: reactVersion } = JSON.parse(
      readFileSync(new URL('../../../../node_modules/react/package.json', import.meta.url), 'utf8'),
    );
    for (const [name, version] of [...Object.entries(dependencies), ['react', reactVersion]])
      assert.ok(licenses.includes(`\n${name} ${version} (`), `${name} ${version} is not in THIRD-PARTY-LICENSES.txt`);
  });

  it('has the built console, its files compressed beside themselves', () => {
    const files = readdirSync(join(installed.folder, 'lib', 'console'), { recursive: true }).map(String);
    const html = readFileSync(join(installed.folder, 'lib', 'console', 'index.html'), 'utf8');
    const [, script = ''] = /<script type="module" crossorigin src="\.\/([^"]+)">/.exec(html) ?? [];
    for (const name of [script, `${script}.br`, `${script}.gz`, 'index.html.br', 'favicon.svg'])
      assert.ok(files.includes(name), `${name} is not in the package`);
    assert.deepEqual(
      files.filter((name) => /\.(?:map|ts|tsx)$|bundled-packages/.test(name)),
      [],
    );
  });

  it('has the guides and their pictures', () => {
    const files = readdirSync(join(installed.folder, 'lib', 'guides'), { recursive: true, withFileTypes: true });
    const names = files.filter((entry) => entry.isFile()).map(({ name }) => name);
    const docs = fileURLToPath(new URL('../../../../docs/', import.meta.url));
    const expected = [...GUIDES.map(({ name }) => `${name}.md`), ...readdirSync(join(docs, 'images'))];
    assert.deepEqual(names.sort(), expected.sort());
  });

  it('is found in order by publint', async () => {
    const publint = fileURLToPath(new URL('../../../../node_modules/.bin/publint', import.meta.url));
    await run(publint, ['--strict', join(place, 'built')]);
  });

  it('could be published as it is, for everybody', async () => {
    const offline = ['--registry', 'http://127.0.0.1:1/', '--fetch-retries', '0', '--cache', join(place, 'cache')];
    const publish = ['publish', join(place, 'built'), '--dry-run', ...offline];
    const { stderr } = await run('npm', publish, { cwd: place, env: installed.environment });
    assert.match(stderr, /with tag latest and public access \(dry-run\)/);
    const complaints = stderr.split('\n').filter((line) => /^npm (?:warn|error)/.test(line));
    assert.deepEqual(
      complaints.filter((line) => !/logged in|Unknown .* config/.test(line)),
      [],
    );
    const page = readFileSync(join(installed.folder, 'README.md'), 'utf8');
    assert.deepEqual([...page.matchAll(/\]\((?!https:)[^)]*\)/g)].map(String), [], 'links');
  });

  it('names the addresses of the project once its publisher has filled them in', () => {
    const addresses = {
      repository: { type: 'git', url: 'git+https://git.example.com/you/latchkey.git' },
      homepage: 'h',
    };
    assert.partialDeepStrictEqual(manifestOf(addresses), addresses);
    const built = JSON.parse(readFileSync(join(installed.folder, 'package.json'), 'utf8'));
    const source = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.deepEqual([built.repository, built.homepage], [source.repository, source.homepage]);
  });

  it('names no place of the machine that built it', () => {
    const root = fileURLToPath(new URL('../../../../', import.meta.url));
    for (const file of readdirSync(join(installed.folder, 'lib'), { recursive: true }).map(String))
      if (file.endsWith('.js'))
        assert.ok(!readFileSync(join(installed.folder, 'lib', file), 'utf8').includes(root), file);
  });

  it('has no file so large, or in such characters, that the service would need much more memory for it', () => {
    const lib = join(installed.folder, 'lib');
    const files = readdirSync(lib).filter((name) => name.endsWith('.js'));
    const texts = files.map((name) => readFileSync(join(lib, name), 'latin1'));
    for (const [index, { length }] of texts.entries()) assert.ok(length < 1_000_000, `${files[index]}: ${length}`);
    // A single character beyond ASCII makes Node.js store the whole file with two bytes per character.
    const wide = texts.filter((each) => [...each].some((character) => character > '\x7f'));
    assert.ok(wide.reduce((sum, { length }) => sum + length, 0) < 300_000);
  });

  it('installs the command latchkey, which shows its help and refuses unknown words', async () => {
    const { stdout } = await latchkey(['--help']);
    assert.match(stdout, /^Usage: latchkey <command>\n/);
    for (const name of ['serve', 'check', 'migrate', 'backup', 'restore'])
      assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'));
    await assert.rejects(latchkey(['serv']), { code: 2 });
  });

  it('says in a sentence which Node.js it needs, to an older one', async () => {
    const older = join(place, 'older.cjs');
    writeFileSync(
      older,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.12.0' } });",
    );
    await assert.rejects(latchkey(['--help'], { NODE_OPTIONS: `--require=${older}` }), {
      code: 1,
      stdout: '',
      stderr: `Latchkey needs Node.js 26 or newer. This is Node.js 22.12.0 (${process.execPath}).\n`,
    });
    const { engines } = JSON.parse(readFileSync(join(installed.folder, 'package.json'), 'utf8'));
    assert.deepEqual(engines, { node: '>=26' });
  });

  for (const engine of engines)
    it(`serves apps and operators on ${engine}, and ends in order at SIGTERM`, async (test) => {
      const { database } = await freshDatabase(engine, test);
      const geoipFile = join(place, 'countries.mmdb');
      writeFileSync(geoipFile, writeMmdb(4, { '127.0.0.0/8': { country: { iso_code: 'DE' } } }));
      const environment = {
        LATCHKEY_GEOIP_FILE: geoipFile,
        LATCHKEY_METRICS_PORT: '0',
        ...(database.engine === 'sqlite' ? { LATCHKEY_DATA_DIR: join(database.file, '..') } : {}),
      };
      const program = [join(installed.folder, 'bin', 'latchkey.cjs'), 'serve'] as const;
      const server = await startServerProcess(database, environment, program);
      test.after(() => server.kill());
      const ask = async (path: string, body: object) => {
        const answer = await server.send(path, { adminSecret: ADMIN_SECRET, ...body });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body;
      };
      const { licenseKey } = await ask('/createLicense', { email: 'ada@example.com', productId: 'app' });
      assert.equal((await ask('/verify', { licenseKey, productId: 'app' })).valid, true);
      const machine = { licenseKey, machineFingerprint: 'one' };
      const { token } = await ask('/activate', { ...machine, hostname: 'host', productId: 'app' });
      assert.equal((await ask('/validate', { ...machine, token })).valid, true);
      // With SQLite, a separate thread reads lists.
      assert.equal((await ask('/listLicenses', {})).licenses.length, 1);
      const { activations } = await ask('/getLicense', { licenseKey });
      assert.equal(activations[0].lastCountry, 'DE');
      const described = await server.send('/openapi.json', undefined, { method: 'GET' });
      assert.ok(described.body.paths['/verify']);
      const guide = await server.send('/docs/console', undefined, { method: 'GET' });
      assert.match(guide.body, /<h1>The console<\/h1>/);
      const [, picture = ''] = /<img src="([^"]+)"/.exec(guide.body) ?? [];
      assert.equal((await server.send(picture, undefined, { method: 'GET' })).headers['content-type'], 'image/png');
      const searched = await server.send('/docs/search.json', undefined, { method: 'GET' });
      assert.ok(searched.body.some(([address]: string[]) => address === '/docs/events#verify'));

      const { port } = server.log.find(({ event }) => event === 'metrics.started') as { port: number };
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
      assert.match(metrics, new RegExp(`^latchkey_info\\{version="${version}",engine="${engine}"\\} 1$`, 'm'));

      if (database.engine === 'sqlite') {
        const copy = join(place, 'copy.db');
        const { stdout } = await latchkey(['backup', copy], environment);
        assert.match(stdout, /: \d+ bytes, 1 license,/);
      }
      assert.equal(await server.stop(), 0);
      assert.deepEqual(server.log.map(({ event }) => event).slice(-2), ['service.stopping', 'service.stopped']);
    });
});
