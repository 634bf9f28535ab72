/**
 * The steps of `--with patroni`: programs from Debian packages, used beside the service where they are installed. A
 * step without its program names the missing package.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServerProcess } from '../../test/support/server-process.ts';
import { elsewhereOf, type Journey, type Step, servePackage, takeSecrets, WORKERS } from './journey.ts';
import { findExactly, Ledger } from './ledger.ts';
import { makeProgramFolder, PatroniCluster, postgresBinaries, TTL_S } from './patroni-cluster.ts';
import { tryPgBouncer, tryPgpool } from './poolers.ts';

const run = promisify(execFile);

/** Folders of programs, of which not every user has all on the PATH. */
const FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];
const OPS = join(import.meta.dirname, '../../../../ops');

/** Licenses acknowledged before the leader is killed, and after another one serves. */
const BEFORE_LOSS = 100;
const AFTER_LOSS = 100;

/** The path of a program; undefined if it is not installed. */
const programAt = (name: string) => FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));

/** A step that needs programs. Each is the name of a program, and of its Debian package where that differs. */
export function withPrograms(
  name: string,
  needed: Readonly<Record<string, string>>,
  use: (journey: Journey, paths: Readonly<Record<string, string>>) => Promise<string>,
): Step {
  return {
    name,
    async run(journey) {
      const paths = Object.fromEntries(Object.keys(needed).map((each) => [each, programAt(each)]));
      const missing = Object.keys(needed).filter((each) => paths[each] === undefined);
      if (missing.length > 0)
        return `not run: ${missing.join(', ')} is not installed (Debian: apt-get install ${missing.map((each) => needed[each]).join(' ')})`;
      return use(journey, paths as Record<string, string>);
    },
  };
}

async function loseTheLeader(journey: Journey, programs: Readonly<Record<string, string>>): Promise<string> {
  const { place, installed, adminSecret } = journey;
  const binaries = await postgresBinaries();
  if (binaries === undefined) return 'not run: PostgreSQL is not installed (Debian: apt-get install postgresql)';
  const folder = await makeProgramFolder();
  const cluster = new PatroniCluster(folder);
  const nodes: ServerProcess[] = [];
  try {
    await cluster.start(programs, binaries);
    for (const name of ['patroni-node-1', 'patroni-node-2']) {
      const data = join(place, name);
      await mkdir(data, { mode: 0o700 });
      await takeSecrets(elsewhereOf(journey), data);
      nodes.push(await servePackage(installed, { engine: 'postgres', url: cluster.url }, data));
    }
    const ledger = new Ledger(adminSecret);
    ledger.begin(nodes, WORKERS, 'repeat');
    await ledger.until(BEFORE_LOSS);
    await cluster.killLeader();
    const killedAt = performance.now();
    const before = ledger.acknowledged().length;
    // Calls that the leader had confirmed may be answered until now.
    await ledger.until(before + WORKERS + 1);
    const servedAt = performance.now();
    await ledger.until(before + AFTER_LOSS);
    await ledger.end();
    const issued = ledger.acknowledged();
    for (const node of nodes) await findExactly(node, issued, adminSecret);
    return (
      `the next license was acknowledged ${Math.round((servedAt - killedAt) / 1000)} s after the loss (ttl ${TTL_S} s); ` +
      `all ${issued.length} licenses that were acknowledged are there once; ${ledger.repeats} calls were repeated`
    );
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await cluster.stop();
    await folder.remove();
  }
}

/** In their order. */
export const packagedPrograms: readonly Step[] = [
  withPrograms(
    'kill the leader of three PostgreSQL under Patroni, under load at two nodes',
    { patroni: 'patroni', etcd: 'etcd-server' },
    loseTheLeader,
  ),
  withPrograms('put PgBouncer between a node and PostgreSQL', { pgbouncer: 'pgbouncer' }, tryPgBouncer),
  withPrograms('put pgpool between a node and PostgreSQL', { pgpool: 'pgpool2' }, tryPgpool),
  withPrograms('let Prometheus read the alerts', { promtool: 'prometheus' }, async (_journey, { promtool }) => {
    const { stdout } = await run(promtool!, ['check', 'rules', join(OPS, 'prometheus-alerts.yml')]);
    return stdout.trim().split('\n').at(-1)!.trim();
  }),
  withPrograms('let Caddy read its file', { caddy: 'caddy' }, async (_journey, { caddy }) => {
    const { stdout } = await run(caddy!, ['adapt', '--adapter', 'caddyfile', '--config', join(OPS, 'Caddyfile')]);
    return `it makes ${stdout.length} characters of configuration of it`;
  }),
];
