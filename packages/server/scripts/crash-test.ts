/**
 * Kills real servers under load and checks that no acknowledged call is lost (test/crash/crash-rounds.ts):
 * `npm run crash-test -- --engine sqlite --rounds 20`.
 */
import { parseArgs } from 'node:util';
import { crashRounds } from '../test/crash/crash-rounds.ts';
import { engines } from '../test/support/databases.ts';

const { values } = parseArgs({
  options: { engine: { type: 'string', default: 'sqlite' }, rounds: { type: 'string', default: '20' } },
});
const engine = engines.find((each) => each === values.engine);
const rounds = Number(values.rounds);
if (engine === undefined || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(`crash-test: --engine is one of ${engines.join(', ')}, --rounds a whole number from 1\n`);
  process.exit(1);
}
const report = await crashRounds(engine, rounds, (line) => process.stdout.write(`${line}\n`));
process.stdout.write(`Nothing acknowledged was lost: ${JSON.stringify(report)}\n`);
