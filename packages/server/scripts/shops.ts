/** Sells through eight sellers to two nodes that are killed, and prints the tally (test/shops/shops-run.ts). */
import { randomInt } from 'node:crypto';
import { runShops } from '../test/shops/shops-run.ts';
import { runStories } from '../test/shops/stories-run.ts';
import { engines } from '../test/support/databases.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';

const USAGE = `Usage: npm run shops -- [options]

Sells through eight sellers to two nodes on one PostgreSQL that are killed, while the mail server comes and goes and the
APIs of sellers are away. Checks that every paid sale is a license or waits for a person, that nobody has a license
without a payment, and that no license lasts longer than what was paid plus its grace.

  --minutes N       how long it sells (10)
  --seed N          repeats the choices of an earlier run, which printed it
  --stories N       instead tells each story of each seller in every order up to five events, and longer ones in N
                    orders at random; ${engines.join(' and ')}
`;

const { values } = readCommandLine(USAGE, {
  minutes: { type: 'string', default: '10' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  stories: { type: 'string', default: '0' },
});
const [minutes, seed, stories] = [Number(values.minutes), Number(values.seed), Number(values.stories)];
if (!(minutes > 0) || !Number.isSafeInteger(seed) || seed < 0 || !Number.isSafeInteger(stories) || stories < 0)
  refuseCommandLine('--minutes is a number above 0, --seed and --stories are whole numbers');
const say = (line: string) => void process.stdout.write(`${line}\n`);
try {
  if (stories > 0) for (const engine of engines) await runStories(engine, stories, say);
  else {
    say(`seed ${seed}`);
    const tally = await runShops({ seed, durationMs: minutes * 60_000, say });
    for (const [name, count] of Object.entries(tally)) say(`${name.padEnd(12)}${count}`);
    say('Every paid sale is a license or waits for a person, and nothing was given without a payment.');
  }
} catch (error) {
  process.stderr.write(`With --seed ${seed}: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
