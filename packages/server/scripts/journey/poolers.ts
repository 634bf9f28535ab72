/** The steps that put a pooler of the system between a node and PostgreSQL. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { elsewhereOf, type Journey, latchkey, servePackage, takeSecrets, WORKERS } from './journey.ts';
import { findAll, Ledger, Lost } from './ledger.ts';
import { makeProgramFolder, type ProgramFolder, until } from './patroni-cluster.ts';

/** Licenses acknowledged behind pgpool. */
const LICENSES = 50;

/** A pooler in front of the server that the nodes used last. */
interface Pooler {
  readonly program: string;
  readonly args: readonly string[];
  /** Its URL. */
  readonly url: string;
  readonly user: ProgramFolder['user'];
  readonly folder: string;
}

/** Runs a pooler while `work` uses its URL. */
async function withPooler<T>({ program, args, url, user, folder }: Pooler, work: () => Promise<T>): Promise<T> {
  const pooler = spawn(program, args, { ...user, cwd: folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => pooler.once('exit', resolve));
  try {
    await until(`an answer of ${program}`, async () => {
      const client = new pg.Client(url);
      await client.connect();
      await client.end();
      return true;
    });
    return await work();
  } finally {
    pooler.kill('SIGTERM');
    await ended;
  }
}

/** Runs `check` of the package on a database: its exit status and its errors. */
function check(
  { place, installed }: Journey,
  url: string,
): Promise<{ readonly code: number; readonly stderr: string }> {
  const environment = { ...installed.environment, DATABASE_URL: url };
  return latchkey({ installed: { ...installed, environment } }, join(place, 'pooled'), 'check').then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
}

/** `check` accepts PgBouncer in session mode, and refuses it in transaction mode. */
export async function tryPgBouncer(journey: Journey, { pgbouncer }: Readonly<Record<string, string>>): Promise<string> {
  const { folder, user, remove } = await makeProgramFolder();
  const server = new URL(journey.servers.at(-1)!.url);
  const found: string[] = [];
  try {
    for (const mode of ['session', 'transaction'] as const) {
      const port = await fixedPort();
      const file = join(folder, `${mode}.ini`);
      await writeFile(
        file,
        `[databases]
* = host=127.0.0.1 port=${server.port} user=postgres password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout
`,
      );
      const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
      const { code, stderr } = await withPooler({ program: pgbouncer!, args: [file], url, user, folder }, () =>
        check(journey, url),
      );
      const isRight = mode === 'session' ? code === 0 : code === 1 && /pool_mode = session/.test(stderr);
      if (!isRight) throw new Lost(`check ends with ${code} behind pool_mode = ${mode}: ${stderr}`);
      found.push(`${mode} is ${code === 0 ? 'accepted' : 'refused'}`);
    }
  } finally {
    await remove();
  }
  return `pool_mode = ${found.join(', ')}`;
}

/** `check` accepts pgpool with one backend, and a node that uses it loses nothing under load. */
export async function tryPgpool(journey: Journey, { pgpool }: Readonly<Record<string, string>>): Promise<string> {
  const { folder, user, remove } = await makeProgramFolder();
  const { place, installed, adminSecret } = journey;
  const server = new URL(journey.servers.at(-1)!.url);
  const [port, control] = [await fixedPort(), await fixedPort()];
  const file = join(folder, 'pgpool.conf');
  await writeFile(
    file,
    `listen_addresses = '127.0.0.1'
port = ${port}
pcp_listen_addresses = '127.0.0.1'
pcp_port = ${control}
socket_dir = '${folder}'
pcp_socket_dir = '${folder}'
pid_file_name = '${join(folder, 'pgpool.pid')}'
logdir = '${folder}'
backend_clustering_mode = 'raw'
backend_hostname0 = '127.0.0.1'
backend_port0 = ${server.port}
enable_pool_hba = off
allow_clear_text_frontend_auth = on
pool_passwd = ''
num_init_children = 16
max_pool = 1
`,
  );
  const url = `postgres://${server.username}:${server.password}@127.0.0.1:${port}${server.pathname}`;
  const pooler = { program: pgpool!, args: ['-n', '-f', file], url, user, folder };
  try {
    return await withPooler(pooler, async () => {
      const { code, stderr } = await check(journey, url);
      if (code !== 0) throw new Lost(`check ends with ${code} behind pgpool: ${stderr}`);
      const data = join(place, 'pgpool-node');
      await mkdir(data, { mode: 0o700 });
      await takeSecrets(elsewhereOf(journey), data);
      const node = await servePackage(installed, { engine: 'postgres', url }, data);
      try {
        const ledger = new Ledger(adminSecret);
        ledger.begin([node], WORKERS, 'end');
        await ledger.until(LICENSES);
        await ledger.end();
        const issued = ledger.acknowledged();
        const machines = await findAll(node, issued, adminSecret);
        return `with one backend, all ${issued.length} licenses and ${machines} machines that were acknowledged are there`;
      } finally {
        await node.stop();
      }
    });
  } finally {
    await remove();
  }
}
