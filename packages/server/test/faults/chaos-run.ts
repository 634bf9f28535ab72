/** Does every harm to a service that tests know, at random, and looks again and again whether anything is lost. */
import assert from 'node:assert/strict';
import { DAY_MS, HOUR_MS } from '../../src/ground/base/clock.ts';
import type { Engine } from '../support/databases.ts';
import { SentEvents, type SentReport } from '../support/sent-events.ts';
import { type MailReport, QUICK_MAILS, SentMails } from '../support/sent-mails.ts';
import { Cluster } from './cluster.ts';
import { Ledger, type LedgerReport, type Random } from './ledger.ts';
import { randomOf } from './random.ts';

/** Minimum number of faults before a complete comparison, and the random part on top of it. */
const FEWEST_FAULTS = 3;
const MORE_FAULTS = 4;
/** Minimum number of changes between two faults, and the random part on top of it. */
const FEWEST_CHANGES = 10;
const MORE_CHANGES = 60;
/** A ledger with this many licenses is closed and a new one begins, so that a run may last for days. */
const LICENSES_PER_LEDGER = 2_000;
/** Clocks jump by hours, which a service believes, and by years, which it must not. */
const FARTHEST_JUMP_HOURS = 11;
const FARTHEST_JUMP_YEARS = 5;
/** Minutes of half a second: in a short run, too, clocks are compared and jobs are done under each wrong clock. */
const ENVIRONMENT = { LATCHKEY_TEST_MINUTE_MS: '500' };

/** Something that goes wrong. */
interface Fault {
  /** Its description in the output. */
  readonly name: string;
  run(): Promise<unknown>;
}

/** Options of a run. */
export interface ChaosOptions {
  readonly engine: Engine;
  /** A whole number; the same one makes the same choices, though not at the same moments. */
  readonly seed: number;
  /** Duration of the run; work under way at its end is finished. */
  readonly durationMs: number;
  /** Told of each fault and of each comparison that held. */
  readonly say: (line: string) => void;
}

/** The outcome of a run. */
export interface ChaosReport {
  /** How often each fault came. */
  readonly faults: Readonly<Record<string, number>>;
  /** How often everything was compared. */
  readonly comparisons: number;
  readonly ledgers: readonly LedgerReport[];
  /** Of each ledger, the events that arrived at a receiver. */
  readonly sent: readonly SentReport[];
  /** Of each ledger, the e-mails that were promised. */
  readonly mails: readonly MailReport[];
}

/** The faults that may befall a cluster; `random` chooses their details. */
function faultsOf(cluster: Cluster, mails: SentMails, random: Random): readonly Fault[] {
  const node = () => random(cluster.size);
  const faults: Fault[] = [
    { name: 'a node is killed', run: () => cluster.killNode(node()) },
    {
      name: 'a node is restarted',
      run: async () => assert.equal(await cluster.restartNode(node()), 0, 'the exit code of a node'),
    },
    { name: 'a node stands still', run: () => cluster.freezeNode(node(), 200 + random(2_000)) },
    {
      name: 'a clock jumps ahead',
      run: async () => cluster.setClock(node(), (1 + random(FARTHEST_JUMP_HOURS)) * HOUR_MS),
    },
    {
      name: 'a clock jumps back',
      run: async () => cluster.setClock(node(), -(1 + random(FARTHEST_JUMP_HOURS)) * HOUR_MS),
    },
    {
      name: 'a clock jumps by years, and every job is due',
      run: async () => {
        cluster.setClock(node(), (random(2) === 0 ? 1 : -1) * (1 + random(FARTHEST_JUMP_YEARS)) * 365 * DAY_MS);
        await cluster.makeJobsDue();
      },
    },
    { name: 'a clock is put right', run: async () => cluster.setClock(node(), 0) },
  ];
  if (cluster.engine === 'sqlite')
    faults.push(
      { name: 'a backup is made', run: () => cluster.backUp() },
      {
        name: 'an old backup is restored, and taken back',
        run: () => {
          mails.noteRestore();
          return cluster.restoreOldBackup();
        },
      },
    );
  if (cluster.engine === 'postgres')
    faults.push(
      { name: 'PostgreSQL is restarted', run: () => cluster.restartDatabase('SIGINT', random(1_000)) },
      { name: 'PostgreSQL crashes', run: () => cluster.restartDatabase('SIGQUIT', random(1_000)) },
      { name: 'PostgreSQL is killed', run: () => cluster.restartDatabase('SIGKILL') },
      { name: 'PostgreSQL stands still', run: () => cluster.freezeDatabase(100 + random(5_000)) },
    );
  if (cluster.hasStandby) faults.push({ name: 'the primary is lost', run: () => cluster.failOver() });
  return faults;
}

/**
 * See the head of this file.
 *
 * @throws AssertionError when something acknowledged is gone, was done twice, or a limit did not hold
 */
export async function runChaos({ engine, seed, durationMs, say }: ChaosOptions): Promise<ChaosReport> {
  const random = randomOf(seed);
  const beganAt = performance.now();
  const faults: Record<string, number> = {};
  const ledgers: LedgerReport[] = [];
  const sentOfLedgers: SentReport[] = [];
  const mailsOfLedgers: MailReport[] = [];
  let comparisons = 0;
  const isOver = () => performance.now() - beganAt >= durationMs;
  const tell = (line: string) => say(`${((performance.now() - beganAt) / 1000).toFixed(1)} s: ${line}`);

  do {
    const sent = await SentEvents.start();
    const mails = await SentMails.start();
    const cluster = await Cluster.start(engine, {
      hasStandby: engine === 'postgres',
      environment: { ...ENVIRONMENT, ...sent.environment, ...mails.environment },
      program: sent.programWith({ mailSender: QUICK_MAILS }),
    });
    // Choices of its own for the load: how many of them it makes is up to the machine.
    const ledger = new Ledger(cluster.serving, randomOf(random(2 ** 31)), mails.promised);
    try {
      await sent.createAt(cluster.serving()[0]!);
      const possible = faultsOf(cluster, mails, random);
      let arrived: MailReport;
      do {
        ledger.start();
        for (let left = FEWEST_FAULTS + random(MORE_FAULTS); left > 0; left -= 1) {
          await ledger.untilChanged(FEWEST_CHANGES + random(MORE_CHANGES));
          const fault = possible[random(possible.length)]!;
          tell(fault.name);
          faults[fault.name] = (faults[fault.name] ?? 0) + 1;
          await fault.run();
          await mails.noteFault(cluster.database);
        }
        await ledger.untilChanged(FEWEST_CHANGES);
        await ledger.pause();
        await ledger.check(cluster.database);
        arrived = await mails.check(cluster.database);
        comparisons += 1;
        tell(`everything is as it was acknowledged: ${JSON.stringify({ ...ledger.report(), ...arrived })}`);
      } while (!isOver() && ledger.report().licenses < LICENSES_PER_LEDGER);
      ledgers.push(ledger.report());
      mailsOfLedgers.push(arrived);
      // A restored database has its destinations paused.
      await sent.resumeAt(cluster.serving()[0]!);
      const report = await sent.check(cluster.database, false);
      tell(`every event was sent: ${JSON.stringify(report)}`);
      sentOfLedgers.push(report);
    } finally {
      await ledger.abandon();
      await cluster.stop();
      await sent.stop();
      await mails.stop();
    }
  } while (!isOver());
  return { faults, comparisons, ledgers, sent: sentOfLedgers, mails: mailsOfLedgers };
}
