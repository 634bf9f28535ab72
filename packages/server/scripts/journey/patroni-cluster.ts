/** Three PostgreSQL servers under Patroni with etcd, from the packages of the system. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { mintSecret } from '../../src/ground/base/random.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { Lost } from './ledger.ts';

const POSTGRES_VERSIONS = '/usr/lib/postgresql';

/** Three servers: one may be lost, and writes go on with a synchronous standby. */
const SERVERS = 3;
/** The shortest that Patroni allows. */
export const TTL_S = 20;
const LONGEST_WAIT_MS = 120_000;
/** The folder of the newest PostgreSQL of the system; undefined if there is none. */
export async function postgresBinaries(): Promise<string | undefined> {
  if (!existsSync(POSTGRES_VERSIONS)) return undefined;
  const versions = (await readdir(POSTGRES_VERSIONS)).map(Number).filter(Number.isFinite);
  return versions.length === 0 ? undefined : join(POSTGRES_VERSIONS, String(Math.max(...versions)), 'bin');
}

/** A folder of programs that refuse to run as root, such as PostgreSQL. */
export interface ProgramFolder {
  readonly folder: string;
  /** Who may read and write it, and runs the programs. */
  readonly user: { readonly uid?: number; readonly gid?: number };
  remove(): Promise<void>;
}

/** Makes a folder for this user, or for the user `postgres` if this is root. */
export async function makeProgramFolder(): Promise<ProgramFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-programs-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  if (process.getuid?.() !== 0) return { folder, user: {}, remove };
  const idOf = async (option: string) => Number((await promisify(execFile)('id', [option, 'postgres'])).stdout);
  const [uid, gid] = [await idOf('-u'), await idOf('-g')];
  await chown(folder, uid, gid);
  return { folder, user: { uid, gid }, remove };
}

/** Waits until `isTrue`; an error counts as false. */
export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const givenUpAt = performance.now() + LONGEST_WAIT_MS;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > givenUpAt) throw new Lost(`there was never ${what}`);
    await wait(200);
  }
}

/** Servers under Patroni, with etcd. */
export class PatroniCluster {
  readonly #processes: ChildProcess[] = [];
  readonly #password = mintSecret(16);
  readonly #folder: string;
  readonly #user: ProgramFolder['user'];
  readonly #members: { readonly process: ChildProcess; readonly postgres: number; readonly api: number }[] = [];

  constructor({ folder, user }: ProgramFolder) {
    this.#folder = folder;
    this.#user = user;
  }

  /** All members in one URL. */
  get url(): string {
    const hosts = this.#members.map(({ postgres }) => `127.0.0.1:${postgres}`).join(',');
    return `postgres://postgres:${this.#password}@${hosts}/postgres`;
  }

  async start(programs: Readonly<Record<string, string>>, binaries: string): Promise<void> {
    const [clients, peers] = [await fixedPort(), await fixedPort()];
    const etcd = (port: number) => `http://127.0.0.1:${port}`;
    this.#begin(programs.etcd!, [
      ...['--data-dir', join(this.#folder, 'etcd'), '--name', 'one', '--initial-cluster', `one=${etcd(peers)}`],
      ...['--listen-client-urls', etcd(clients), '--advertise-client-urls', etcd(clients)],
      ...['--listen-peer-urls', etcd(peers), '--initial-advertise-peer-urls', etcd(peers)],
    ]);
    for (let index = 0; index < SERVERS; index += 1) {
      const [postgres, api] = [await fixedPort(), await fixedPort()];
      const file = join(this.#folder, `patroni-${index}.json`);
      // YAML takes JSON.
      await writeFile(file, JSON.stringify(this.#configuration(index, { postgres, api, etcd: clients }, binaries)));
      await chmod(file, 0o644);
      this.#members.push({ process: this.#begin(programs.patroni!, [file]), postgres, api });
    }
    // A leader takes writes once a standby confirms them.
    await until('a leader that has a synchronous standby', async () => {
      const [client] = await this.#connectToLeader();
      try {
        const { rows } = await client.query("select 1 from pg_stat_replication where sync_state in ('sync', 'quorum')");
        return rows.length > 0;
      } finally {
        await client.end();
      }
    });
  }

  /** Kills the leader's Patroni and its PostgreSQL. */
  async killLeader(): Promise<void> {
    const [client, leader] = await this.#connectToLeader();
    const { rows } = await client.query("select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid");
    leader.kill('SIGKILL');
    process.kill(rows[0].pid, 'SIGKILL');
  }

  async stop(): Promise<void> {
    // Patroni stops its PostgreSQL.
    const ending = this.#processes
      .toReversed()
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    for (const each of ending) {
      const ended = new Promise((resolve) => each.once('exit', resolve));
      each.kill('SIGTERM');
      await ended;
    }
  }

  #begin(program: string, args: readonly string[]): ChildProcess {
    const started = spawn(program, args, {
      ...this.#user,
      cwd: this.#folder,
      stdio: 'ignore',
      env: { PATH: '/usr/sbin:/usr/bin:/bin', HOME: this.#folder, ETCD_UNSUPPORTED_ARCH: process.arch },
    });
    this.#processes.push(started);
    return started;
  }

  #urlOf = (port: number) => `postgres://postgres:${this.#password}@127.0.0.1:${port}/postgres`;

  /** A connection to the server that leads, and its Patroni. */
  async #connectToLeader(): Promise<[pg.Client, ChildProcess]> {
    for (const { process: patroni, postgres, api } of this.#members) {
      const { ok } = await fetch(`http://127.0.0.1:${api}/leader`).catch(() => ({ ok: false }));
      if (!ok) continue;
      const client = new pg.Client(this.#urlOf(postgres));
      client.on('error', () => {});
      await client.connect();
      return [client, patroni];
    }
    throw new Lost('no server leads');
  }

  #configuration(index: number, ports: { postgres: number; api: number; etcd: number }, binaries: string): object {
    const local = (port: number) => `127.0.0.1:${port}`;
    const credentials = (username: string) => ({ username, password: this.#password });
    return {
      scope: 'latchkey',
      name: `server-${index}`,
      restapi: { listen: local(ports.api), connect_address: local(ports.api) },
      etcd3: { hosts: local(ports.etcd) },
      bootstrap: {
        dcs: {
          ttl: TTL_S,
          loop_wait: 2,
          retry_timeout: 5,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: { use_pg_rewind: true, parameters: { wal_level: 'replica', max_connections: 100 } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
      },
      postgresql: {
        listen: local(ports.postgres),
        connect_address: local(ports.postgres),
        data_dir: join(this.#folder, `data-${index}`),
        bin_dir: binaries,
        pgpass: join(this.#folder, `pgpass-${index}`),
        authentication: {
          superuser: credentials('postgres'),
          replication: credentials('replicator'),
          rewind: credentials('rewinder'),
        },
        pg_hba: [
          'host all all 127.0.0.1/32 md5',
          'host replication replicator 127.0.0.1/32 md5',
          'local all all trust',
        ],
        parameters: { unix_socket_directories: this.#folder },
      },
    };
  }
}
