/** The command line, and the ends of its processes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { migrations } from '../../../src/storage/migrations/migrations.ts';
import { environmentOf, runCommand, runCommandHere } from '../../support/command.ts';
import { engines } from '../../support/databases.ts';
import { appFor, emptyFor, freshFor } from '../../support/for-test.ts';
import { Machine } from '../../support/machine.ts';
import { knowingMigrations, nextMigration } from '../../support/next-migrations.ts';
import { processEnvironment } from '../../support/process-environment.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));

/** A script, as all of them print. */
const ROOMS = fileURLToPath(new URL('../../../scripts/rooms.ts', import.meta.url));
const NO_FULL_DEVICE = !existsSync('/dev/full') && 'there is no /dev/full';

/** A new key signs after two minutes, and a node may read it another minute later. */
const SPREAD_MS = 3 * MINUTE_MS;

const keyIdOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid as string;

describe('a command', () => {
  for (const args of [[], ['rotate'], ['constructor'], ['--versions']])
    it(`that there is not ends with 2 and says which there are: ${args.join(' ') || 'none'}`, async () => {
      const { code, out, err } = await runCommandHere(args);
      assert.equal(code, 2);
      assert.equal(out, '');
      for (const name of ['check', 'migrate', 'rotate-token-keys']) assert.match(err, new RegExp(`\\b${name} `));
    });

  for (const [line, said] of [
    ['wat', 'Unknown command "wat".'],
    ['serve --wat', 'serve has no option --wat.'],
    ['serve --log-level debug', 'serve has no option --log-level; set the variable LATCHKEY_LOG_LEVEL.'],
    ['serve --port', '--port needs a value: --port PORT.'],
    ['migrate --dry-run=yes', '--dry-run takes no value.'],
    ['copy --from x', '--to is missing.'],
    ['backup', 'FILE is missing.'],
    ['backup one two', 'backup takes no argument "two".'],
  ] as const)
    it(`names the fault of: ${line}`, async () => {
      const { code, out, err } = await runCommandHere(line.split(' '));
      assert.deepEqual([code, out], [2, '']);
      assert.equal(err.split('\n')[0], said);
    });

  it('that asks for the version prints it, with that of Node.js', async () => {
    const { code, out } = await runCommandHere(['--version']);
    assert.equal(code, 0);
    assert.match(out, /^latchkey \d+\.\d+\.\d+ on Node\.js \d+\./);
  });

  it('has a help for serve with its options and the variables that most installations set', async () => {
    const { out } = await runCommandHere(['serve', '--help']);
    for (const word of ['--port PORT', '--host HOST', '--data FOLDER', 'DATABASE_URL', 'LATCHKEY_TLS_CERT_FILE'])
      assert.ok(out.includes(word), word);
  });

  it('says where the value that is wrong comes from: an option, the environment, a default', async () => {
    const { err } = await runCommand(['serve', '--port', 'eight'], {
      HOST: 'no host',
      LATCHKEY_DATA_DIR: fileURLToPath(import.meta.url),
    });
    assert.match(err, /^PORT is "eight"; .* \(PORT is set by --port\)$/m);
    assert.match(err, /^HOST is "no host"; .* \(HOST is set in the environment\)$/m);
    assert.match(
      err,
      /^LATCHKEY_DATA_DIR names .*which is not a directory \(LATCHKEY_DATA_DIR is set in the environment\)$/m,
    );
    assert.match(err, /^Latchkey ran as .+\. .*check lists every fault that prevents a start\.$/m);
  });

  it('says in a sentence which file it cannot use', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const folder = temporaryFolder(test);
    const nowhere = join(folder, 'nowhere', 'export.jsonl');
    const { code, err } = await runCommandHere(['export', nowhere], environmentOf(database));
    assert.equal(code, 1);
    assert.ok(err.includes(`${nowhere} does not exist, or a folder above it does not.`), err);
    assert.doesNotMatch(err, /ENOENT|EEXIST/);
    for (const [file, sentence] of [
      [folder, 'is a folder. Name a file.'],
      [nowhere, 'does not exist, or a folder above it does not.'],
    ] as const) {
      const imported = await runCommandHere(['import', file], environmentOf(database));
      assert.equal(imported.code, 1);
      assert.ok(imported.err.includes(`${file} ${sentence}`), imported.err);
    }
  });

  for (const [program, ...args] of [[CLI, 'list-token-keys'], [CLI, 'export', '-'], [ROOMS]] as const)
    it(`ends well when nobody reads its output: ${basename(program)} ${args.join(' ')}`, async (test) => {
      const database = await freshFor(test, 'sqlite');
      const command = spawn(process.execPath, [program, ...args], {
        env: { ...processEnvironment, ...environmentOf(database) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      command.stdout.destroy();
      const said = text(command.stderr);
      assert.deepEqual(await once(command, 'exit'), [0, null]);
      assert.doesNotMatch(await said, /EPIPE|node:|Exported/);
    });

  it('fails when the disk of its output is full: export -', { skip: NO_FULL_DEVICE }, async (test) => {
    const database = await freshFor(test, 'sqlite');
    const device = openSync('/dev/full', 'w');
    test.after(() => closeSync(device));
    const command = spawn(process.execPath, [CLI, 'export', '-'], {
      env: { ...processEnvironment, ...environmentOf(database) },
      stdio: ['ignore', device, 'pipe'],
    });
    const said = text(command.stderr!);
    assert.deepEqual(await once(command, 'exit'), [1, null]);
    assert.match(await said, /ENOSPC|no space left/);
  });

  for (const name of ['migrate', 'check'])
    it(`ends with 1 and the reason when the database cannot be reached, and does not show how it was to be: ${name}`, async () => {
      const { code, err } = await runCommandHere([name], {
        DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/latchkey',
      });
      assert.equal(code, 1);
      assert.match(err, /PostgreSQL cannot be reached/);
      assert.doesNotMatch(err, /hunter2/);
    });
});

describe('check', () => {
  it('ends with 0 when the configuration is sound, and makes nothing', async (test) => {
    const directory = join(temporaryFolder(test), 'data');
    const { code, out } = await runCommandHere(['check'], { LATCHKEY_DATA_DIR: directory });
    assert.equal(code, 0);
    assert.equal(out, 'There is no database yet; the first start creates it.\nThe service can start.\n');
    assert.equal(existsSync(directory), false);
  });

  it('ends with 1 and names every error when it is not', async () => {
    const { code, out, err } = await runCommandHere(['check'], {
      PORT: 'eight',
      LATCHKEY_TOKEN_LIFETIME: 'long',
      LATCHKEY_GEOIP_FILE: '/nowhere/countries.mmdb',
    });
    assert.equal(code, 1);
    assert.equal(out, '');
    for (const name of ['PORT', 'LATCHKEY_TOKEN_LIFETIME', 'LATCHKEY_GEOIP_FILE'])
      assert.match(err, new RegExp(`^${name} `, 'm'));
  });
});

for (const engine of engines) {
  describe(`serve on ${engine}`, () => {
    it('runs the service until a signal', async (test) => {
      const database = await freshFor(test, engine);
      const server = await startServerProcess(database, environmentOf(database), ['cli.ts', 'serve']);
      test.after(() => server.kill());
      assert.equal((await server.send('/healthz', undefined, { method: 'GET' })).status, 200);
      assert.equal(await server.stop(), 0);
      assert.equal(server.log.at(-1)?.event, 'service.stopped');
    });
  });

  describe(`every command on ${engine}`, () => {
    it('ends its process when it is done', async (test) => {
      const database = await freshFor(test, engine);
      const file = join(temporaryFolder(test), 'licenses.jsonl');
      for (const [expected, ...args] of [
        [0, 'rotate-token-keys'],
        [0, 'list-token-keys'],
        [1, 'drop-token-key', 'none'],
        [2, 'rotate'],
        [0, 'lift-activation-limits'],
        [0, 'list-destinations'],
        [0, 'export', file],
        [0, 'import', file],
      ] as const) {
        const { code, err } = await runCommand(args, environmentOf(database));
        assert.equal(code, expected, `${args[0]}: ${err}`);
      }
    });
  });

  describe(`a start on ${engine}`, () => {
    const migrationsIn = (log: readonly Readonly<Record<string, unknown>>[]) =>
      log.filter(({ event }) => /^(migration|tables)\./.test(String(event)));

    it('logs the making of a new database in one line', async (test) => {
      const database = await emptyFor(test, engine);
      const server = await startServerProcess(database, environmentOf(database));
      test.after(() => server.kill());
      const reported = migrationsIn(server.log);
      assert.equal(reported.length, 1);
      assert.partialDeepStrictEqual(reported[0], { event: 'tables.created', migrations: migrations.length });
      assert.ok(Number.isInteger(reported[0]?.durationMs));
      assert.equal(await server.stop(), 0);
    });
  });

  describe(`migrate on ${engine}`, () => {
    it('makes the tables of an empty database, and finds nothing to do the next time', async (test) => {
      const database = await emptyFor(test, engine);
      const environment = environmentOf(database);
      // A SQLite file must exist; an empty one is a database without tables.
      if (database.engine === 'sqlite') writeFileSync(database.file, '');
      const first = await runCommandHere(['migrate'], environment);
      assert.equal(first.code, 0, first.err);
      assert.match(first.out, /^Applied 0001_baseline/);
      assert.match(first.err, /^0001_baseline \(1 of \d+\) started\.\n0001_baseline took \d+\.\d s\.$/m);
      const again = await runCommandHere(['migrate'], environment);
      assert.deepEqual([again.code, again.out], [0, 'The tables are up to date.\n']);
    });

    it('says in a dry run whether older nodes may go on', async (test) => {
      const database = await freshFor(test, engine);
      const dryRun = async () => (await runCommandHere(['migrate', '--dry-run'], environmentOf(database))).out;
      const [adding, changing] = [nextMigration(1), nextMigration(2, 'must stop')];
      knowingMigrations(test, adding);
      assert.match(await dryRun(), /^Nodes of the previous version may keep serving/m);
      knowingMigrations(test, changing);
      assert.match(
        await dryRun(),
        new RegExp(`^Stop all nodes of older versions first: .* with ${changing.name}\\.$`, 'm'),
      );
    });

    it('only lists missing migrations in a dry run', async (test) => {
      const database = await emptyFor(test, engine);
      const environment = environmentOf(database);
      if (database.engine === 'sqlite') writeFileSync(database.file, '');
      for (let time = 0; time < 2; time++) {
        const { code, out, err } = await runCommandHere(['migrate', '--dry-run'], environment);
        assert.equal(code, 0, err);
        assert.match(out, /^Missing: 0001_baseline/);
      }
      await runCommandHere(['migrate'], environment);
      const { out } = await runCommandHere(['migrate', '--dry-run'], environment);
      assert.equal(out, 'The tables are up to date.\n');
    });
  });

  describe(`rotate-token-keys on ${engine}`, () => {
    it('changes the key of new tokens while the service runs; earlier tokens stay valid', async (test) => {
      const app = await appFor(test, engine);
      const machine = await new Machine(app, await app.license()).activated();
      const old = machine.token;
      const { code, out, err } = await runCommandHere(['rotate-token-keys'], environmentOf(app.database));
      assert.equal(code, 0, err);
      assert.match(out, /^A new key signs from \d{4}-\d\d-\d\dT[\d:.]+Z; accepted keys: 2\.$/m);
      assert.equal((await machine.validate()).status, 200);

      // The command used the machine's clock, which has advanced since the service's was set.
      app.clock.move(SPREAD_MS);
      await machine.activated();
      assert.notEqual(keyIdOf(machine.token), keyIdOf(old));
      for (const token of [old, machine.token]) {
        machine.token = token;
        assert.equal((await machine.validate()).status, 200);
        assert.equal((await machine.heartbeat()).status, 200);
      }
    });

    it('shows no key', async (test) => {
      const database = await freshFor(test, engine);
      const { out, err } = await runCommandHere(['rotate-token-keys'], environmentOf(database));
      // 32 bytes of secret are 43 characters, and an identifier is 16.
      assert.doesNotMatch(`${out}${err}`, /[\w-]{43}/);
    });
  });
}
