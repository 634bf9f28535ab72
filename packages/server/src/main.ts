/** `npm start`: the service. */
import { ConfigError } from './runtime/config/config.ts';
import { loadConfig } from './runtime/config/read-config.ts';
import { serveUntilSignal } from './runtime/service/serve.ts';
import { reasonsOf, whoRuns } from './runtime/service/start-failure.ts';

const USAGE = `Usage: npm start

Starts the service. It takes no arguments: environment variables configure it (docs/operators/configuration.md), and
npm run latchkey -- --help lists the other commands.
`;

const given = process.argv.slice(2);
if (given.length > 0) {
  const isHelp = given.every((word) => word === '--help' || word === '-h');
  (isHelp ? process.stdout : process.stderr).write(USAGE);
  process.exit(isHelp ? 0 : 2);
}

try {
  await serveUntilSignal(loadConfig(process.env));
} catch (error) {
  const reasons = reasonsOf(error, process.env);
  const [first = '', ...others] = error instanceof ConfigError ? reasons : [`Latchkey cannot start: ${String(error)}`];
  const next = `Latchkey ran as ${whoRuns()}. npm run latchkey -- check lists every fault that prevents a start.`;
  process.stderr.write(`${[first, ...others, next].join('\n')}\n`);
  process.exit(1);
}
