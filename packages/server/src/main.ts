/** Starts the service: configuration, storage, sockets; and ends it in order. */
import { ConfigError, loadConfig } from './config.ts';
import { startServer } from './server.ts';

// What is said to a person at a terminal may be said to nobody: a closed pipe or a full disk there must not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

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
  const config = loadConfig(process.env);
  const starting = startServer(config);
  const stop = (signal: NodeJS.Signals) => {
    // A second signal means it: leave at once.
    process.once('SIGTERM', () => process.exit(1));
    process.once('SIGINT', () => process.exit(1));
    // A start under way is waited for, so that it leaves nothing half done; one that fails is told of below.
    void starting
      .then((server) => server.stop(signal))
      .then(
        () => process.exit(0),
        () => {},
      );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stderr.write((await starting).greeting);
} catch (error) {
  process.stderr.write(
    error instanceof ConfigError ? `${error.message}\n` : `Latchkey cannot start: ${String(error)}\n`,
  );
  process.exit(1);
}
