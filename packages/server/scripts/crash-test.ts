/** Kills real servers under load and checks that no acknowledged call is lost (test/crash/crash-rounds.ts). */
import { crashRounds } from '../test/crash/crash-rounds.ts';
import { engines } from '../test/support/databases.ts';
import { readCommandLine, refuseCommandLine } from './command-line.ts';

const USAGE = `Usage: npm run crash-test -- [options]

Kills a service under load again and again, and checks that no acknowledged call is lost.

  --engine ENGINE   ${engines.join(' or ')} (sqlite)
  --rounds N        how often it is killed (20)
`;

const { values } = readCommandLine(USAGE, {
  engine: { type: 'string', default: 'sqlite' },
  rounds: { type: 'string', default: '20' },
});
const engine = engines.find((each) => each === values.engine);
const rounds = Number(values.rounds);
if (engine === undefined || !Number.isInteger(rounds) || rounds < 1)
  refuseCommandLine(`--engine is one of ${engines.join(', ')}, --rounds a whole number from 1`);
const report = await crashRounds(engine, rounds, (line) => process.stdout.write(`${line}\n`));
process.stdout.write(`Nothing acknowledged was lost: ${JSON.stringify(report)}\n`);
