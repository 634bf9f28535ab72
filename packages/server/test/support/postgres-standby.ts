/**
 * A standby of a PostgreSQL of the tests: another real server, on a copy of the first one's files, which receives every
 * change. The packages bring no pg_basebackup, so the copy is made between pg_backup_start and pg_backup_stop.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { onClient } from './own-connection.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** Runs `work` on a connection to a server. */
export function onServer<T>({ url }: PostgresServer, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return onClient(url, work);
}

/**
 * Starts a standby of a primary, waits until it has caught up, and makes the primary wait for it with every commit from
 * then on.
 *
 * @param settings of the standby, as startPostgres takes them
 */
export async function startSynchronousStandby(
  primary: PostgresServer,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const directory = await mkdtemp(join(primary.data, '../../latchkey-standby-'));
  const data = join(directory, 'data');
  try {
    await onServer(primary, async (client) => {
      await client.query("select pg_backup_start('standby', true)");
      // Files that vanish meanwhile are of no use to the copy: cp reports them, and continues.
      spawnSync('cp', ['-a', primary.data, data]);
      const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
      for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(data, name), { force: true });
      const { hostname, port, username, password } = new URL(primary.url);
      const upstream = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`;
      const { uid, gid } = statSync(data);
      for (const [name, text] of [
        ['backup_label', rows[0].labelfile],
        ['standby.signal', ''],
        ['postgresql.auto.conf', `primary_conninfo = '${upstream}'\n`],
      ] as const) {
        writeFileSync(join(data, name), text, { mode: 0o600 });
        chownSync(join(data, name), uid, gid);
      }
    });
    // The default is five seconds, for which every commit waits after a restart of the primary.
    const quick = { wal_retrieve_retry_interval: '100ms', ...settings };
    const standby = await startPostgres(quick, { data, password: new URL(primary.url).password });
    await onServer(primary, async (client) => {
      await client.query("alter system set synchronous_standby_names = 'standby'");
      await client.query('select pg_reload_conf()');
      for (;;) {
        const { rows } = await client.query("select 1 from pg_stat_replication where sync_state = 'sync'");
        if (rows.length > 0) break;
        await wait(50);
      }
    });
    return standby;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Makes a standby the primary, and waits until it accepts writes. */
export async function promote(standby: PostgresServer): Promise<void> {
  const isPromoted = await onServer(standby, async (client) => (await client.query('select pg_promote()')).rows[0]);
  if (!isPromoted.pg_promote) throw new Error('the standby was not promoted in time');
}

/** A URL that names the hosts of several servers with the same password. */
export function urlOfAll(servers: readonly PostgresServer[], database = 'postgres'): string {
  const [{ username, password }] = servers.map(({ url }) => new URL(url)) as [URL];
  return `postgres://${username}:${password}@${servers.map(({ url }) => new URL(url).host).join(',')}/${database}`;
}
