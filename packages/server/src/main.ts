/** `npm start`: the service. */
import { ConfigError, loadConfig } from './config.ts';
import { serveUntilSignal } from './serve.ts';

const USAGE = `Usage: npm start

Starts the service. It takes no arguments: environment variables configure it (docs/configuration.md), and
npm run latchkey -- --help shows the commands beside it.
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
  process.stderr.write(
    error instanceof ConfigError ? `${error.message}\n` : `Latchkey cannot start: ${String(error)}\n`,
  );
  process.exit(1);
}
