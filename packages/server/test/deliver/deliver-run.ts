/**
 * Measures how events are sent: a real service, receivers in a process of their own, real TLS. Each proof has figures
 * with their limits; a figure beyond its limit is an error of the report.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buildPackage } from '../../scripts/build-package.ts';
import type { Engine } from '../support/databases.ts';
import type { PathReport } from '../support/receiver-messages.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { writeToAll } from './mails-run.ts';
import { seedCreators, seedEvents } from './seed.ts';
import { Stage, type StageOptions, usageOf } from './stage.ts';
import { downForAWeek, MAX_ATTEMPT_ROWS, MAX_DELIVERY_ROWS } from './week.ts';

/** The proofs, in the order in which they run. */
export const PROOFS = ['rate', 'delay', 'backlog', 'nodes', 'week', 'many', 'dead', 'mails'] as const;
export type Proof = (typeof PROOFS)[number];

/** Extent of the proofs. */
export interface DeliverExtent {
  /** Length of the load of each proof. */
  readonly seconds: number;
  /** Events that wait for a receiver. */
  readonly waiting: number;
  /** Events of `nodes`. */
  readonly events: number;
  /** Events that come in the week in which a receiver is down. */
  readonly weekly: number;
  /** Destinations of `many` and `dead`, a multiple of 20. */
  readonly destinations: number;
  /** Time for which the CPU of an idle service is measured. */
  readonly idleSeconds: number;
  /** E-mails to a mail server that takes ten a second. */
  readonly mails: number;
}

export const FULL_EXTENT: DeliverExtent = {
  ...{ seconds: 60, waiting: 100_000, events: 10_000, weekly: 1_000_000, destinations: 10_000, idleSeconds: 30 },
  mails: 10_000,
};

/** A measured figure. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The limit that the figure must keep; null for a figure that is only reported. */
  readonly most: number | null;
  readonly least: number | null;
}

/** The result of one proof. */
export interface DeliverReport {
  readonly proof: Proof;
  readonly figures: readonly Figure[];
  /** Errors at any speed: lost, repeated, disordered or wrongly signed events. */
  readonly errors: readonly string[];
}

const RATE_DESTINATIONS = 5;
const EVENTS_PER_SECOND = 100;
const LICENSES_OF_BACKLOG = 500;
/** Time for a service to read all destinations and send the events of its start, and for its memory to settle. */
const SETTLING_MS = 5_000;
const MEBIBYTE = 1024 ** 2;

const atMost = (name: string, value: number, unit: string, most: number): Figure => ({
  ...{ name, value, unit, most, least: null },
});
const reported = (name: string, value: number, unit: string): Figure => ({
  ...{ name, value, unit, most: null, least: null },
});

/** Runs one proof on a fresh service. */
export async function prove(proof: Proof, engine: Engine, extent: DeliverExtent): Promise<DeliverReport> {
  return { proof, ...(await runs[proof](engine, extent)) };
}

type Found = Omit<DeliverReport, 'proof'>;

const runs: Readonly<Record<Proof, (engine: Engine, extent: DeliverExtent) => Promise<Found>>> = {
  /** E-mails to as many customers, while support and apps call. */
  async mails(engine, { mails }) {
    const { errors, perSecond, slowest, refused } = await writeToAll(engine, { mails, perSecond: 10 });
    return {
      figures: [
        reported('e-mails a second, of 10 that the server takes', perSecond, ''),
        reported('e-mails that the server took later', refused, ''),
        reported('slowest answer of /verify meanwhile', slowest.verify, 'ms'),
        reported('slowest list of e-mails meanwhile', slowest.list, 'ms'),
      ],
      errors,
    };
  },

  /** 500 deliveries a second: five destinations that get 100 events a second each. */
  rate: (engine, { seconds }) =>
    onStage({ engine, environment: { LATCHKEY_DELIVERY_RATE: '1000' } }, async (stage) => {
      const node = await stage.startNode();
      const paths = Array.from({ length: RATE_DESTINATIONS }, (_, number) => `/rate-${number}`);
      for (const path of paths) await stage.destination(node, path);
      await warmUp(stage, node, paths);
      const before = usageOf(node).cpuSeconds;
      const events = await stage.makeEvents(node, EVENTS_PER_SECOND, seconds);
      const reports: PathReport[] = [];
      for (const path of paths) reports.push(await stage.receiver.hasEvents(path, events));
      const cpuSeconds = usageOf(node).cpuSeconds - before;
      const deliveries = reports.reduce((sum, report) => sum + report.events, 0);
      const spanMs =
        Math.max(...reports.map(({ lastAt }) => lastAt)) - Math.min(...reports.map(({ firstAt }) => firstAt));
      const offered = EVENTS_PER_SECOND * RATE_DESTINATIONS;
      return {
        figures: [
          {
            ...{ name: 'deliveries a second', value: (deliveries / spanMs) * 1000, unit: '' },
            ...{ most: null, least: offered * 0.95 },
          },
          reported('commit to request, median', Math.max(...reports.map(({ delayMs }) => delayMs.p50)), 'ms'),
          reported('commit to request, p99', Math.max(...reports.map(({ delayMs }) => delayMs.p99)), 'ms'),
          reported(
            'CPU of the service for a delivery and its share of an event',
            (cpuSeconds / deliveries) * 1e6,
            'µs',
          ),
        ],
        errors: [...reports.flatMap((report) => faultsOf(report, events)), ...logged(node)],
      };
    }),

  /** From the change to its request, at 100 events a second; from another node on PostgreSQL as well. */
  delay: (engine, { seconds }) =>
    onStage({ engine }, async (stage) => {
      const node = await stage.startNode();
      await stage.destination(node, '/delay');
      await warmUp(stage, node, ['/delay']);
      const measure = async (from: ServerProcess) => {
        await stage.receiver.forget('/delay');
        const events = await stage.makeEvents(from, EVENTS_PER_SECOND, seconds / 2);
        const report = await stage.receiver.hasEvents('/delay', events);
        return { report, errors: faultsOf(report, events) };
      };
      const same = await measure(node);
      const figures = [
        atMost('commit to request, median', same.report.delayMs.p50, 'ms', 150),
        atMost('commit to request, p99', same.report.delayMs.p99, 'ms', 1_000),
      ];
      if (engine === 'sqlite') return { figures, errors: same.errors };
      // The first node keeps the lease.
      const other = await measure(await stage.startNode());
      return {
        figures: [
          ...figures,
          reported('commit on another node to request, median', other.report.delayMs.p50, 'ms'),
          atMost('commit on another node to request, p99', other.report.delayMs.p99, 'ms', 2_000),
        ],
        errors: [...same.errors, ...other.errors],
      };
    }),

  /** Many events wait for a receiver that is away; then it is back. */
  backlog: (engine, { waiting }) =>
    onStage({ engine }, async (stage) => {
      const first = await stage.startNode();
      const licenseKeys: string[] = [];
      while (licenseKeys.length < LICENSES_OF_BACKLOG) {
        const order = { email: 'ada@example.com', productId: 'app' };
        licenseKeys.push((await stage.admin(first, '/createLicense', order)).licenseKey);
      }
      const destinationId = await stage.destination(first, '/backlog');
      await stage.receiver.behave('*', { isDown: true });
      await stage.makeEvent(first);
      await destinationIs(stage, first, destinationId, ({ state }) => state === 'failing');
      await stage.stopNode(first);
      await stage.withStorage((storage) => seedEvents(storage, licenseKeys, waiting));
      const node = await stage.startNode();
      const before = usageOf(node);
      await stage.receiver.behave('*', {});
      await stage.admin(node, '/testDestination', { destinationId });
      const startedAt = performance.now();
      // The event of the failure and the test arrive as well.
      const report = await stage.receiver.hasEvents('/backlog', waiting + 2);
      const seconds = (performance.now() - startedAt) / 1000;
      const after = usageOf(node);
      return {
        figures: [
          atMost(`${waiting} waiting events`, seconds, 's', 300),
          reported('a second', waiting / seconds, 'deliveries'),
          reported('CPU of the service for a delivery', ((after.cpuSeconds - before.cpuSeconds) / waiting) * 1e6, 'µs'),
        ],
        errors: [
          ...faultsOf(report, waiting + 2),
          ...logged(node).filter((line) => !line.includes('destination.back')),
        ],
      };
    }),

  /** Two nodes make many events, each change of a license at another node than the one before. */
  nodes: (engine, { events }) =>
    onStage({ engine }, async (stage) => {
      const nodes = [await stage.startNode(), await stage.startNode()];
      const [first] = nodes as [ServerProcess, ServerProcess];
      const destinationId = await stage.destination(first, '/nodes');
      const startedAt = performance.now();
      await stage.changeInTurn(nodes, events);
      await stage.receiver.hasEvents('/nodes', events);
      const seconds = (performance.now() - startedAt) / 1000;
      // A repeat arrives before everything is settled.
      const isSettled = ({ behind, waiting }: Destination) => behind === 0 && waiting === 0;
      await destinationIs(stage, first, destinationId, isSettled);
      const report = await stage.receiver.report('/nodes');
      return {
        figures: [
          reported(`${events} events made by two nodes and sent`, seconds, 's'),
          reported('commit to request, p99', report.delayMs.p99, 'ms'),
        ],
        errors: [...faultsOf(report, events), ...nodes.flatMap(logged)],
      };
    }),

  /** A receiver is down for a week while events come; then it is back. Clock and receiver are simulated. */
  week: async (engine, { weekly }) => {
    const { deliveryRows, attemptRows, isDisabled, seconds, errors } = await downForAWeek(engine, weekly);
    return {
      figures: [
        atMost(`rows of deliveries while ${weekly} events come`, deliveryRows, '', MAX_DELIVERY_ROWS),
        atMost('rows of attempts meanwhile', attemptRows, '', MAX_ATTEMPT_ROWS),
        reported('sending all of them afterwards', seconds, 's'),
      ],
      errors: [...errors, ...(isDisabled ? [] : ['the destination was not disabled after five days'])],
    };
  },

  /**
   * Memory and CPU of a service with many destinations that get nothing, as operators install it: each thread of the
   * sources also holds the compiler that strips types.
   */
  many: async (engine, { destinations, idleSeconds }) => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-package-'));
    try {
      await buildPackage(folder);
      return await onStage({ engine, program: [join(folder, 'bin', 'latchkey.cjs'), 'serve'] }, async (stage) => {
        const without = await stage.startNode();
        const bare = await idle(without, idleSeconds);
        await stage.stopNode(without);
        await seedCreators(stage, destinations, () => 'https://receiver.example/many');
        // The first start reads the events of their creation, and the stop stores that they are read.
        const reading = await stage.startNode();
        await wait(SETTLING_MS);
        await stage.stopNode(reading);
        const node = await stage.startNode();
        await wait(SETTLING_MS);
        const full = await idle(node, idleSeconds);
        return {
          figures: [
            atMost('more memory', (full.bytes - bare.bytes) / MEBIBYTE, 'MiB', 40),
            atMost('idle CPU of a core', full.cpuShare * 100, '%', 1 + bare.cpuShare * 100),
            reported('idle CPU of a core without destinations', bare.cpuShare * 100, '%'),
          ],
          errors: [],
        };
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  },

  /** Every destination is dead but one. */
  dead: (engine, { destinations, seconds }) =>
    onStage({ engine, addresses: manyAddresses() }, async (stage) => {
      const { addresses } = stage.receiver;
      await stage.receiver.behave('/dead', { isDown: true });
      const url = (number: number) => stage.receiver.url('/dead', addresses[1 + (number % (addresses.length - 1))]);
      const productIds = await seedCreators(stage, destinations, url);
      const node = await stage.startNode();
      await stage.destination(node, '/alive');
      await wait(SETTLING_MS);
      await stage.makeEvent(node);
      await stage.receiver.hasEvents('/alive', 1);
      // Every dead destination gets its first event now.
      await stage.receiver.forget('*');
      for (const productId of productIds) await stage.makeLicense(node, productId);
      const finding = await stage.receiver.hasEvents('/alive', productIds.length);
      // Each dead destination is tried once or twice before it counts as failing.
      let requests = -1;
      for (let now = 0; now !== requests; await wait(SETTLING_MS)) {
        requests = now;
        now = (await stage.receiver.report('/dead')).requests;
        if (now - requests < (SETTLING_MS / 1000) * 20 && now >= destinations) break;
      }
      await stage.receiver.forget('*');
      const before = usageOf(node).cpuSeconds;
      const beganAt = performance.now();
      let made = 0;
      while (performance.now() - beganAt < seconds * 1000) {
        await stage.makeLicense(node, productIds[made % productIds.length] ?? '');
        made += 1;
        await wait(1000 / DEAD_EVENTS_PER_SECOND);
      }
      const report = await stage.receiver.hasEvents('/alive', made);
      const spanSeconds = (performance.now() - beganAt) / 1000;
      const dead = await stage.receiver.report('/dead');
      return {
        figures: [
          atMost('requests a second to the dead', dead.requests / spanSeconds, '', 15),
          atMost('commit to request of the healthy one, p99', report.delayMs.p99, 'ms', 2_000),
          atMost('the same while the dead are found', finding.delayMs.p99, 'ms', 2_000),
          reported('CPU of a core', ((usageOf(node).cpuSeconds - before) / spanSeconds) * 100, '%'),
          reported('memory', usageOf(node).bytes / MEBIBYTE, 'MiB'),
        ],
        errors: faultsOf(report, made),
      };
    }),
};

const DEAD_EVENTS_PER_SECOND = 20;

async function onStage(options: StageOptions, work: (stage: Stage) => Promise<Found>): Promise<Found> {
  const stage = await Stage.open(options);
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

/** 101 addresses, so that no limit per address protects the dead. */
function manyAddresses(): readonly string[] {
  return Array.from({ length: 101 }, (_, number) => `127.1.0.${number + 1}`);
}

/** Runs code and opens connections before anything is measured. */
async function warmUp(stage: Stage, node: ServerProcess, paths: readonly string[]): Promise<void> {
  const events = await stage.makeEvents(node, EVENTS_PER_SECOND, 2);
  for (const path of paths) {
    await stage.receiver.hasEvents(path, events);
    await stage.receiver.forget(path);
  }
}

/** The log of a service in a run in which nothing may fail. */
function logged({ log }: ServerProcess): string[] {
  // A start notices that the PostgreSQL of the tests does not wait for its disk.
  const isFault = /^(?:destination|delivery|feed|job|session|database)\.(?!noticed$)/;
  const lines = log.filter(({ event }) => isFault.test(String(event)));
  return lines.slice(0, 5).map((line) => `the service logged ${JSON.stringify(line)}`);
}

function faultsOf(report: PathReport, expected: number): string[] {
  const { requests, events, unverified, disordered } = report;
  return [
    ...(events === expected ? [] : [`${events} of ${expected} events arrived`]),
    ...(requests === events ? [] : [`${requests} requests for ${events} events`]),
    ...(disordered === 0 ? [] : [`${disordered} events came after a later one of their license`]),
    ...(unverified === 0 ? [] : [`${unverified} requests had a wrong signature`]),
  ];
}

type Destination = { readonly state: string; readonly behind: number; readonly waiting: number };

/** Waits until a destination is as wanted. */
async function destinationIs(
  stage: Stage,
  node: ServerProcess,
  destinationId: string,
  isSo: (destination: Destination) => boolean,
): Promise<void> {
  while (!isSo((await stage.admin(node, '/getDestination', { destinationId })).destination)) await wait(50);
}

async function idle(
  node: ServerProcess,
  seconds: number,
): Promise<{ readonly bytes: number; readonly cpuShare: number }> {
  await wait(SETTLING_MS);
  const before = usageOf(node).cpuSeconds;
  await wait(seconds * 1000);
  const { bytes, cpuSeconds } = usageOf(node);
  return { bytes, cpuShare: (cpuSeconds - before) / seconds };
}
