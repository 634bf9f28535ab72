/** A PostgreSQL of this machine with the programs that make and restore backups, which the npm package lacks. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fixedPort } from '../support/fixed-port.ts';
import { onClient } from '../support/own-connection.ts';

const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup'];

/** The folder of the newest programs; null when none are installed. */
export function findPrograms(): string | null {
  const versions = '/usr/lib/postgresql';
  const debian = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...debian.map((version) => join(versions, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program)))) ?? null;
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** A cluster of databases in a folder, used by one server at a time. */
export class LocalPostgres {
  readonly #programs: string;
  readonly #folder: string;
  readonly #port: number;
  /** PostgreSQL refuses to run as root. */
  readonly #user: User;
  #server: ChildProcess | undefined;

  private constructor(programs: string, folder: string, port: number, user: User) {
    this.#programs = programs;
    this.#folder = folder;
    this.#port = port;
    this.#user = user;
  }

  /** Makes a cluster in `folder`/data. The folder is given to the user of the server. */
  static async make(programs: string, folder: string): Promise<LocalPostgres> {
    const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
    const user: User = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
    const made = new LocalPostgres(programs, folder, await fixedPort(), user);
    const data = join(folder, 'data');
    await made.run(
      'initdb',
      `--pgdata=${data}`,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
    );
    return made;
  }

  /** The address of a database, `postgres` by default. */
  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  /**
   * Runs one of the programs, as the user of the server.
   *
   * @throws when it fails, with its output
   */
  async run(program: string, ...args: string[]): Promise<void> {
    await promisify(execFile)(join(this.#programs, program), args, { ...this.#user, cwd: this.#folder });
  }

  /** Starts a server on a cluster, `folder`/data by default, and waits until it accepts writes. */
  async start(settings: Readonly<Record<string, string>> = {}, data = 'data'): Promise<void> {
    const given = {
      listen_addresses: '127.0.0.1',
      port: String(this.#port),
      unix_socket_directories: '',
      fsync: 'off',
      ...settings,
    };
    const options = Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#server = spawn(join(this.#programs, 'postgres'), ['-D', join(this.#folder, data), ...options], {
      ...this.#user,
      cwd: this.#folder,
      stdio: 'ignore',
    });
    while (this.#server.exitCode === null) {
      const isReady = await this.query('select not pg_is_in_recovery() as ready').catch(() => null);
      if (isReady?.ready === true) return;
      await wait(100);
    }
    throw new Error(`PostgreSQL ended with ${this.#server.exitCode}`);
  }

  /** Runs a statement and returns its first row. */
  query(statement: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return onClient(this.url(), async (client) => (await client.query(statement)).rows[0]);
  }

  /** Stops the server, if one runs. */
  async stop(): Promise<void> {
    if (this.#server === undefined || this.#server.exitCode !== null) return;
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGINT');
    await ended;
  }
}
