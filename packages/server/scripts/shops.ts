/** Sells through eight sellers to two nodes that are killed, and prints the tally (test/shops/shops-run.ts). */
import { randomInt } from 'node:crypto';
import { runBacklog, runRate } from '../test/shops/load-run.ts';
import { runShops } from '../test/shops/shops-run.ts';
import { runStories } from '../test/shops/stories-run.ts';
import { engines } from '../test/support/databases.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';

/** How long events are delivered at a steady rate. */
const RATE_SECONDS = 60;

const USAGE = `Usage: npm run shops -- [options]

Sells through eight sellers to two nodes on one PostgreSQL that are killed, while the mail server comes and goes and the
APIs of sellers are away. Checks that every paid sale is a license or waits for a person, that nobody has a license
without a payment, and that no license lasts longer than what was paid plus its grace.

  --minutes N       how long it sells (10)
  --seed N          repeats the choices of an earlier run, which printed it
  --stories N       instead tells each story of each seller in N orders with repeats, which are all orders of up to
                    five events from 119 on; ${engines.join(' and ')}
  --rate N          instead delivers N events a second for a minute, and prints when all were applied
  --backlog N       instead lets N events wait for a shop that is turned on, and prints how long they take
  --engine NAME     of --stories, --rate and --backlog: one of ${engines.join(' and ')}; both by default
`;

const { values } = readCommandLine(USAGE, {
  minutes: { type: 'string', default: '10' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  stories: { type: 'string', default: '0' },
  rate: { type: 'string', default: '0' },
  backlog: { type: 'string', default: '0' },
  engine: { type: 'string' },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const [stories, rate, backlog] = [Number(values.stories), Number(values.rate), Number(values.backlog)];
if (!(minutes > 0) || ![seed, stories, rate, backlog].every((each) => Number.isSafeInteger(each) && each >= 0))
  refuseCommandLine('--minutes is a number above 0, --seed, --stories, --rate and --backlog are whole numbers');
const chosen = engines.filter((engine) => values.engine === undefined || engine === values.engine);
if (chosen.length === 0) refuseCommandLine(`--engine is one of ${engines.join(' and ')}`);
const say = (line: string) => void process.stdout.write(`${line}\n`);
try {
  for (const engine of chosen) {
    if (stories > 0) await runStories(engine, stories, say);
    if (rate > 0) await runRate(engine, rate, RATE_SECONDS, say);
    if (backlog > 0) await runBacklog(engine, backlog, say);
  }
  if (stories + rate + backlog === 0) {
    say(`seed ${seed}`);
    const tally = await runShops({ seed, durationMs: minutes * 60_000, say });
    for (const [name, count] of Object.entries(tally)) say(`${name.padEnd(12)}${count}`);
    say('Every paid sale is a license or waits for a person, and nothing was given without a payment.');
  }
} catch (error) {
  process.stderr.write(`With --seed ${seed}: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
