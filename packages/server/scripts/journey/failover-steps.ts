/** The steps to several nodes: moving to PostgreSQL with a standby, and losing the primary under load. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pooler } from '../../test/support/pooler.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { promote, startSynchronousStandby, urlOfAll } from '../../test/support/postgres-standby.ts';
import type { ServerProcess } from '../../test/support/server-process.ts';
import { elsewhereOf, type Journey, latchkey, type Step, servePackage, takeSecrets, WORKERS } from './journey.ts';
import { findExactly, Ledger, Lost } from './ledger.ts';

/** Licenses acknowledged before the kill of the primary, and after the promotion of its standby. */
const BEFORE_LOSS = 200;
const AFTER_PROMOTION = 100;
/** Licenses acknowledged before the primary is frozen, and after it continues. */
const BEFORE_STANDSTILL = 100;
const AFTER_STANDSTILL = 50;
/** Maximum time in which a node under load must log a change of its database. */
const LONGEST_SILENCE_MS = 60_000;

/**
 * Watches the nodes' logs from now on.
 *
 * @returns a function that resolves when every node has logged an event, and throws Lost if one does not
 */
function listenTo(nodes: readonly ServerProcess[]): (name: string) => Promise<void> {
  const logged = nodes.map(({ log }) => log.length);
  return async (name) => {
    const givenUpAt = performance.now() + LONGEST_SILENCE_MS;
    while (!nodes.every(({ log }, index) => log.slice(logged[index]).some(({ event }) => event === name))) {
      if (performance.now() > givenUpAt) throw new Lost(`a node has not logged ${name}`);
      await wait(5);
    }
  };
}

/** A URL without its password, because other users of the machine can see the arguments of a program. */
function withoutPassword(url: string): string {
  const without = new URL(url);
  without.password = '';
  return without.href;
}

/** The steps of an operator who moves to PostgreSQL and several nodes; `journey.restored` holds the data to move. */
export const failoverSteps: readonly Step[] = [
  {
    name: 'copy what was restored to an empty PostgreSQL that has a synchronous standby',
    async run(journey) {
      const primary = await startPostgres({ fsync: 'on' });
      journey.servers = [primary];
      journey.servers = [primary, await startSynchronousStandby(primary)];
      const { installed } = journey;
      const environment = { ...installed.environment, PGPASSWORD: new URL(primary.url).password };
      const from = join(elsewhereOf(journey), 'latchkey.db');
      const args = ['copy', '--from', from, '--to', withoutPassword(primary.url)];
      const said = await latchkey({ installed: { ...installed, environment } }, elsewhereOf(journey), ...args);
      return said.split('\n').find((line) => line.startsWith('Copied')) ?? said;
    },
  },
  {
    name: 'start two nodes on both hosts, and compare',
    async run(journey) {
      // The standby comes first, because the order in the URL must not matter.
      const url = urlOfAll(journey.servers.toReversed());
      for (const name of ['node-1', 'node-2']) {
        const data = join(journey.place, name);
        await mkdir(data, { mode: 0o700 });
        await takeSecrets(elsewhereOf(journey), data);
        const node = await servePackage(journey.installed, { engine: 'postgres', url }, data);
        journey.nodes = [...journey.nodes, node];
      }
      const found: string[] = [];
      for (const node of journey.nodes) found.push(await findExactly(node, journey.restored, journey.adminSecret));
      return `each node has the ${found[0]} of the restored backup, and nothing else`;
    },
  },
  {
    name: 'stop every process of the primary by SIGSTOP under load at both nodes, and let them go on',
    run: freezeThePrimary,
  },
  {
    name: 'put a pooler in transaction mode between a node and PostgreSQL',
    run: tryPooler,
  },
  {
    name: 'kill the primary with kill -9 under load at both nodes, and promote the standby',
    run: loseThePrimary,
  },
  {
    name: 'order everything again with the same Idempotency-Key',
    async run({ ledger, nodes, restored, adminSecret }) {
      const issued = ledger.acknowledged();
      await ledger.orderAgain(nodes[1]!);
      const found = await findExactly(nodes[0]!, [...restored, ...issued], adminSecret);
      return `${issued.length} orders were answered with the licenses that they had; there are still ${found}`;
    },
  },
];

async function freezeThePrimary(journey: Journey): Promise<string> {
  const { nodes, servers, restored, adminSecret } = journey;
  const [primary] = servers;
  const ledger = new Ledger(adminSecret);
  ledger.begin(nodes, WORKERS, 'repeat');
  await ledger.until(BEFORE_STANDSTILL);
  const untilLogged = listenTo(nodes);
  const frozenAt = performance.now();
  primary!.freeze();
  try {
    await untilLogged('database.away');
  } finally {
    primary!.thaw();
  }
  const thawedAt = performance.now();
  const before = ledger.acknowledged().length;
  await ledger.until(before + 1);
  const servedAt = performance.now();
  await untilLogged('database.back');
  await ledger.until(before + AFTER_STANDSTILL);
  await ledger.end();
  const issued = ledger.acknowledged();
  journey.restored = [...restored, ...issued];
  for (const node of nodes) await findExactly(node, journey.restored, adminSecret);
  return (
    `both nodes knew it ${Math.round(thawedAt - frozenAt)} ms later and refused what came; the service was back ` +
    `${Math.round(servedAt - thawedAt)} ms after the primary; all ${issued.length} licenses that were acknowledged are ` +
    `there once; ${ledger.repeats} calls were repeated`
  );
}

async function tryPooler({ place, installed, servers }: Journey): Promise<string> {
  const pooler = await Pooler.to(servers[0]!.url, 'transaction');
  try {
    const environment = { ...installed.environment, DATABASE_URL: pooler.url };
    const said: string[] = [];
    for (const command of ['check', 'serve']) {
      const ended = await latchkey({ installed: { ...installed, environment } }, join(place, 'pooled'), command).then(
        () => null,
        (error: { code: number; stderr: string }) => error,
      );
      if (ended?.code !== 1) throw new Lost(`${command} accepts a pooler in transaction mode`);
      if (!/pool_mode = session/.test(ended.stderr))
        throw new Lost(`${command} does not say what to do: ${ended.stderr}`);
      said.push(command);
    }
    return `${said.join(' and ')} refuse it, and say: set pool_mode = session there, or connect to PostgreSQL directly`;
  } finally {
    await pooler.close();
  }
}

async function loseThePrimary(journey: Journey): Promise<string> {
  const { nodes, servers, restored, adminSecret } = journey;
  const [primary, standby] = servers;
  const ledger = new Ledger(adminSecret);
  journey.ledger = ledger;
  ledger.begin(nodes, WORKERS, 'repeat');
  await ledger.until(BEFORE_LOSS);
  const untilLogged = listenTo(nodes);
  const lostAt = performance.now();
  await primary!.end('SIGKILL');
  // The promotion waits until the nodes have noticed the loss.
  await untilLogged('database.away');
  const before = ledger.acknowledged().length;
  await promote(standby!);
  const promotedAt = performance.now();
  await ledger.until(before + 1);
  const servedAt = performance.now();
  await ledger.until(before + AFTER_PROMOTION);
  await untilLogged('database.back');
  await ledger.end();
  const issued = ledger.acknowledged();
  for (const node of nodes) await findExactly(node, [...restored, ...issued], adminSecret);
  const ms = (from: number) => `${Math.round(servedAt - from)} ms`;
  return (
    `the service was back ${ms(promotedAt)} after the promotion, ${ms(lostAt)} after the loss; ` +
    `all ${issued.length} licenses that were acknowledged are there once, ${before} of them from before the promotion; ` +
    `${ledger.repeats} calls were repeated`
  );
}
