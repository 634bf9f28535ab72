/** The installed service: each failing start ends its process with a reason and status 1, and leaves nothing behind. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { lockSqliteFile } from '../../src/storage/sqlite/sqlite-file-lock.ts';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../support/app.ts';
import { engines } from '../support/databases.ts';
import { freshFor } from '../support/for-test.ts';
import { type InstalledPackage, installPackage } from '../support/installed-package.ts';

const IS_WINDOWS = process.platform === 'win32' && 'npm makes other links there';

describe('the installed service', { skip: IS_WINDOWS }, () => {
  const place = mkdtempSync(join(tmpdir(), 'latchkey-failed-'));
  let installed: InstalledPackage;
  /** A port in use. */
  let busy: Server;
  let busyPort: string;
  before(async () => {
    installed = await installPackage(place);
    busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    busyPort = String((busy.address() as AddressInfo).port);
  });
  after(() => {
    busy.close();
    rmSync(place, { recursive: true, force: true });
  });

  function serve(test: TestContext, environment: Readonly<Record<string, string>>): ChildProcess {
    const service = spawn(installed.command, ['serve'], {
      cwd: place,
      env: {
        ...installed.environment,
        HOST: '127.0.0.1',
        PORT: '0',
        LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
        LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    test.after(() => service.kill('SIGKILL'));
    return service;
  }

  /** The standard error of a service that cannot start, which ends with status 1. */
  async function failureOf(test: TestContext, environment: Readonly<Record<string, string>>): Promise<string> {
    const service = serve(test, environment);
    const said = text(service.stderr!);
    service.stdout!.resume();
    assert.deepEqual(await once(service, 'exit'), [1, null]);
    return said;
  }

  /** The log of a service so far, and a wait for an event in it. */
  function logOf(service: ChildProcess) {
    let log = '';
    const output = service.stdout!.on('data', (chunk: Buffer) => {
      log += chunk;
    });
    const until = async (event: string) => {
      while (!log.includes(event)) await once(output, 'data');
    };
    return { text: () => log, until };
  }

  for (const engine of engines)
    for (const [name, environmentOf, reason] of [
      [
        'a PORT that is in use',
        () => ({ PORT: busyPort }),
        /^PORT is \d+, where another program already listens on 127\.0\.0\.1: .* \(PORT is set in the environment\)$/m,
      ],
      [
        'a LATCHKEY_METRICS_PORT that is in use',
        () => ({ LATCHKEY_METRICS_PORT: busyPort }),
        /^LATCHKEY_METRICS_PORT is \d+, where another program already listens/m,
      ],
      [
        'a HOST that this machine does not have',
        () => ({ HOST: '192.0.2.1' }),
        /^HOST is 192\.0\.2\.1, which is not an address of this machine/m,
      ],
      [
        'a HOST that nobody knows',
        () => ({ HOST: 'nowhere.invalid' }),
        /^HOST is nowhere\.invalid, a name without an address/m,
      ],
    ] as const)
      it(`ends with status 1 on ${engine} for ${name}, and lets go of its database`, async (test) => {
        const database = await freshFor(test, engine);
        const location =
          database.engine === 'sqlite'
            ? { LATCHKEY_DATA_DIR: dirname(database.file) }
            : { DATABASE_URL: database.url, LATCHKEY_DATA_DIR: place };
        const said = await failureOf(test, { ...location, ...environmentOf() });
        assert.match(said, reason);
        assert.match(said, /^Latchkey ran as .+\. latchkey check lists every fault that prevents a start\.$/m);
        if (database.engine === 'sqlite') lockSqliteFile(database.file).release();
      });

  it('ends with status 1 where its database cannot be opened', async (test) => {
    await failureOf(test, { LATCHKEY_DATA_DIR: installed.file });
    await failureOf(test, { DATABASE_URL: 'postgres://ada@127.0.0.1:1/none', LATCHKEY_DATABASE_WAIT: 'off' });
  });

  it('names every error of its configuration, files that may not be looked at among them', async (test) => {
    const file = join(place, 'no-folder');
    writeFileSync(file, '');
    const said = await failureOf(test, {
      LATCHKEY_DATA_DIR: join(place, 'made'),
      LATCHKEY_TLS_CERT_FILE: join(file, 'cert.pem'),
      LATCHKEY_TLS_KEY_FILE: join(place, 'none.pem'),
      LATCHKEY_TOKEN_LIFETIME: 'long',
    });
    assert.match(said, /^LATCHKEY_TLS_CERT_FILE names .*\(ENOTDIR\)|^LATCHKEY_TLS_CERT_FILE names .*does not exist/m);
    assert.match(said, /^LATCHKEY_TLS_KEY_FILE names .*does not exist/m);
    assert.match(said, /^LATCHKEY_TOKEN_LIFETIME is "long"/m);
  });

  it('names further faults beside the one that ended the start', async (test) => {
    const data = join(place, 'short-secrets');
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(join(data, 'admin-secret'), 'short', { mode: 0o600 });
    const countries = join(place, 'countries.mmdb');
    writeFileSync(countries, 'nothing of the kind');
    const said = await failureOf(test, {
      LATCHKEY_DATA_DIR: data,
      LATCHKEY_ADMIN_SECRET: '',
      LATCHKEY_GEOIP_FILE: countries,
    });
    assert.match(said, /^the secret in .*admin-secret must have 16 to 256 characters$/m);
    assert.match(said, /^LATCHKEY_GEOIP_FILE names .*which is not a MaxMind DB/m);
  });

  it('reports to systemd that it is ready once it answers', async (test) => {
    const folder = join(place, 'programs');
    mkdirSync(folder);
    const reported = join(place, 'reported');
    writeFileSync(
      join(folder, 'systemd-notify'),
      `#!/bin/sh\necho "$@" "$NOTIFY_SOCKET" > '${reported}.new'\nmv '${reported}.new' '${reported}'\n`,
      {
        mode: 0o755,
      },
    );
    const database = await freshFor(test, 'sqlite');
    const service = serve(test, {
      LATCHKEY_DATA_DIR: dirname(database.file),
      NOTIFY_SOCKET: '/run/systemd/notify',
      PATH: `${folder}:${installed.environment.PATH}`,
    });
    service.stdout!.resume();
    while (!existsSync(reported)) await wait(20);
    assert.equal(readFileSync(reported, 'utf8'), '--ready /run/systemd/notify\n');
  });

  it('writes nothing but JSON where both of its outputs lead to one place', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const file = join(place, 'journal');
    const journal = openSync(file, 'w');
    const service = spawn(installed.command, ['serve', '--port', '0', '--data', dirname(database.file)], {
      cwd: place,
      env: installed.environment,
      stdio: ['ignore', journal, journal],
    });
    test.after(() => service.kill('SIGKILL'));
    closeSync(journal);
    while (!readFileSync(file, 'utf8').includes('service.started')) await wait(20);
    service.kill('SIGTERM');
    assert.deepEqual(await once(service, 'exit'), [0, null]);
    const events = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    assert.equal(events.at(-1), 'service.stopped');
  });

  it('ends in order at SIGTERM while its PostgreSQL accepts connections and says nothing', async (test) => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    test.after(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    const connected = once(silent, 'connection');
    const service = serve(test, { DATABASE_URL: `postgres://ada@127.0.0.1:${port}/none`, LATCHKEY_DATA_DIR: place });
    const ended = once(service, 'exit');
    const [socket] = await connected;
    test.after(() => socket.destroy());
    service.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });

  it('ends in order when a terminal and npm both deliver one Ctrl-C', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const service = serve(test, { LATCHKEY_DATA_DIR: dirname(database.file) });
    const log = logOf(service);
    await log.until('service.started');
    // Two kinds of signal, since the system may merge two of one kind.
    service.kill('SIGINT');
    service.kill('SIGTERM');
    assert.deepEqual(await once(service, 'close'), [0, null]);
    assert.match(log.text(), /"service\.stopped"/);
  });

  it('leaves at once at a signal that comes later, when somebody is tired of waiting', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const service = serve(test, { LATCHKEY_DATA_DIR: dirname(database.file), LATCHKEY_DRAIN_TIME: '10m' });
    const log = logOf(service);
    await log.until('service.started');
    const ended = once(service, 'exit');
    service.kill('SIGINT');
    await log.until('service.stopping');
    const again = setInterval(() => service.kill('SIGINT'), 100);
    test.after(() => clearInterval(again));
    assert.deepEqual(await ended, [1, null]);
  });
});
