/**
 * Real processes that a test does harm to: one service on a SQLite file, or two on a PostgreSQL of their own, which may
 * have a synchronous standby.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Database } from '../../src/storage/contract/database.ts';
import { runCommandHere } from '../support/command.ts';
import type { Engine } from '../support/databases.ts';
import { execute } from '../support/own-connection.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { promote, startSynchronousStandby, urlOfAll } from '../support/postgres-standby.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { freezeProcess } from './frozen-process.ts';

const HOOK = pathToFileURL(join(import.meta.dirname, 'moved-process.ts')).href;
const NODES: Readonly<Record<Engine, number>> = { sqlite: 1, postgres: 2 };

/** A place for one service process after the other. */
interface Place {
  /** Holds the offset of its clock in milliseconds. */
  readonly clockFile: string;
  /** Null without a process, or while it must not get calls. */
  serving: ServerProcess | null;
}

/** The keys that a query finds in a SQLite file that nobody uses. */
function keysOf(file: string, query: string): string[] {
  const database = openSqliteFile(file);
  try {
    return database
      .prepare(query)
      .all()
      .map(({ key }) => String(key));
  } finally {
    database.close();
  }
}

/** How to start a cluster. */
export interface ClusterOptions {
  /** Whether PostgreSQL has a standby, so that its primary may be lost. */
  readonly hasStandby?: boolean;
  /** Further environment variables of the services. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The program of the services below src/, and its arguments. */
  readonly program?: readonly [string, ...string[]];
}

/** See the head of this file. */
export class Cluster {
  readonly engine: Engine;
  readonly #directory = mkdtempSync(join(tmpdir(), 'latchkey-cluster-'));
  readonly #backup = join(this.#directory, 'last-backup');
  readonly #environment: Readonly<Record<string, string>>;
  readonly #program: readonly [string, ...string[]];
  readonly #places: readonly Place[];
  readonly #all = new Set<ServerProcess>();
  #primary: PostgresServer | undefined;
  #standby: PostgresServer | undefined;
  /** Settings of the services; they name all servers of PostgreSQL, not only the primary. */
  #url = '';

  private constructor(engine: Engine, { environment = {}, program = ['main.ts'] }: ClusterOptions) {
    this.engine = engine;
    this.#environment = environment;
    this.#program = program;
    this.#places = Array.from({ length: NODES[engine] }, (_, index) => {
      const clockFile = join(this.#directory, `clock-${index}`);
      writeFileSync(clockFile, '0');
      return { clockFile, serving: null };
    });
  }

  static async start(engine: Engine, options: ClusterOptions = {}): Promise<Cluster> {
    const { hasStandby = false } = options;
    const cluster = new Cluster(engine, options);
    try {
      if (engine === 'postgres') {
        cluster.#primary = await startPostgres();
        if (hasStandby) cluster.#standby = await startSynchronousStandby(cluster.#primary);
        cluster.#url = urlOfAll(hasStandby ? [cluster.#primary, cluster.#standby!] : [cluster.#primary]);
      }
      for (const place of cluster.#places) await cluster.#startAt(place);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** The services that may be asked at the moment. */
  readonly serving = (): readonly ServerProcess[] => this.#places.flatMap(({ serving }) => serving ?? []);

  /** How many services there are when nothing is wrong. */
  get size(): number {
    return this.#places.length;
  }

  /** Where everything is stored at the moment. */
  get database(): Database {
    return this.engine === 'sqlite'
      ? { engine: 'sqlite', file: join(this.#directory, 'latchkey.db') }
      : { engine: 'postgres', url: this.#primary!.url };
  }

  get hasStandby(): boolean {
    return this.#standby !== undefined;
  }

  /** Kills a service and starts another in its place. */
  async killNode(index: number): Promise<void> {
    const place = this.#places[index]!;
    const node = place.serving;
    await node?.kill();
    place.serving = null;
    await this.#startAt(place);
  }

  /** Asks a service to end, as an update does, and starts another in its place. Answers its exit code. */
  async restartNode(index: number): Promise<number | null> {
    const place = this.#places[index]!;
    const node = place.serving!;
    place.serving = null;
    const code = await node.stop();
    await this.#startAt(place);
    return code;
  }

  /** Stops a service in the midst of its work, and lets it go on after some time, or when a promise is kept. */
  async freezeNode(index: number, until: number | Promise<unknown>): Promise<void> {
    const place = this.#places[index]!;
    const node = place.serving!;
    await freezeProcess(node.pid);
    try {
      // As a load balancer does, which notices a little later.
      await wait(200);
      place.serving = null;
      await (typeof until === 'number' ? wait(until) : until);
    } finally {
      process.kill(node.pid, 'SIGCONT');
      place.serving = node;
    }
  }

  /** Sets the clock of a service so far from the machine's, in milliseconds. */
  setClock(index: number, offset: number): void {
    writeFileSync(this.#places[index]!.clockFile, String(offset));
  }

  /**
   * Makes every job due in the next round of each node. The sender of e-mails keeps its lease, which it holds during an
   * attempt.
   */
  async makeJobsDue(): Promise<void> {
    await execute(this.database, "delete from job_lease where job <> 'send mail'");
  }

  /** Ends PostgreSQL in order (SIGINT), as after a crash (SIGQUIT) or without a word (SIGKILL), and starts it again. */
  async restartDatabase(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', downMs = 0): Promise<void> {
    await this.#primary!.end(signal);
    await wait(downMs);
    await this.#primary!.start();
  }

  /** Stops PostgreSQL in the midst of its work, and lets it go on after some time. */
  async freezeDatabase(frozenMs: number): Promise<void> {
    this.#primary!.freeze();
    await wait(frozenMs);
    this.#primary!.thaw();
  }

  /** Makes a backup of SQLite, in place of the one before. */
  async backUp(): Promise<void> {
    rmSync(this.#backup, { force: true });
    await this.#command('backup', this.#backup);
  }

  /**
   * Restores the last backup of SQLite and checks two things: licenses revoked since the backup stay revoked, and the
   * previous database is intact. Then restores the previous database, and the service goes on with it. Makes a backup
   * first if there is none, because a restore needs a change since the backup.
   */
  async restoreOldBackup(): Promise<void> {
    const file = join(this.#directory, 'latchkey.db');
    if (!existsSync(this.#backup)) return this.backUp();
    const [place] = this.#places;
    const node = place!.serving!;
    place!.serving = null;
    await node.stop();
    const said = await this.#command('restore', this.#backup, '--keep-revoked-from', file);
    const kept = /^Previous database kept as (.*)$/m.exec(said)?.[1] ?? '';
    const revoked = `select license_key as key from license where revocation is not null order by license_key`;
    const restored = new Set(keysOf(file, revoked));
    const known = new Set(keysOf(file, 'select license_key as key from license'));
    const lost = keysOf(kept, revoked).filter((key) => known.has(key) && !restored.has(key));
    assert.deepEqual(lost, [], 'licenses that a restore made good again');
    await this.#command('restore', kept);
    await this.#startAt(place!);
  }

  async #command(...args: string[]): Promise<string> {
    const { code, out, err } = await runCommandHere(args, { LATCHKEY_DATA_DIR: this.#directory });
    assert.equal(code, 0, err);
    return out;
  }

  /**
   * Loses the primary with all of its files, promotes the standby, and makes a new standby in the place of the old
   * primary.
   */
  async failOver(): Promise<void> {
    const lost = this.#primary!;
    await lost.end('SIGKILL');
    await promote(this.#standby!);
    this.#primary = this.#standby!;
    await lost.stop();
    this.#standby = await startSynchronousStandby(this.#primary, { port: new URL(lost.url).port });
  }

  /** Ends everything and removes its files. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((node) => node.kill()));
    await Promise.all([this.#standby?.stop(), this.#primary?.stop()]);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #startAt(place: Place): Promise<void> {
    const database: Database = this.engine === 'sqlite' ? this.database : { engine: 'postgres', url: this.#url };
    const environment = {
      ...(this.engine === 'sqlite' ? { LATCHKEY_DATA_DIR: this.#directory } : {}),
      NODE_OPTIONS: `--import=${HOOK}`,
      LATCHKEY_TEST_CLOCK_FILE: place.clockFile,
      ...this.#environment,
    };
    const node = await startServerProcess(database, environment, this.#program);
    this.#all.add(node);
    void node.ended.then(() => this.#all.delete(node));
    place.serving = node;
  }
}
