/**
 * Inflicts every fault of the tests on real services at random, and checks that no acknowledged call is lost or done
 * twice (test/faults/chaos-run.ts).
 */
import { randomInt } from 'node:crypto';
import { runChaos } from '../test/faults/chaos-run.ts';
import { engines } from '../test/support/databases.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';

const USAGE = `Usage: npm run chaos -- [options]

Inflicts faults on services at random, and checks that no acknowledged call is lost or done twice.

  --engine ENGINE   ${engines.join(' or ')} (sqlite)
  --minutes N       how long it lasts (5)
  --seed N          repeats the choices of an earlier run, which printed it
`;

const { values } = readCommandLine(USAGE, {
  engine: { type: 'string', default: 'sqlite' },
  minutes: { type: 'string', default: '5' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
});
const engine = engines.find((each) => each === values.engine);
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (engine === undefined || !(minutes > 0) || !Number.isSafeInteger(seed) || seed < 0)
  refuseCommandLine(`--engine is one of ${engines.join(', ')}, --minutes a number above 0, --seed a whole number`);
const say = (line: string) => void process.stdout.write(`${line}\n`);
say(`seed ${seed}`);
try {
  const report = await runChaos({ engine, seed, durationMs: minutes * 60_000, say });
  say(`Nothing acknowledged was lost or done twice: ${JSON.stringify(report)}`);
} catch (error) {
  process.stderr.write(`With --seed ${seed}: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
