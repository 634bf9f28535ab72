/** Commands for operators, beside the service itself. They read the same environment as the service. */
import { systemClock } from './clock.ts';
import { type Config, loadConfig } from './config.ts';
import { makeDataDirectory } from './data-directory.ts';
import { rotateTokenKeys } from './licenses/token-keys.ts';
import { migrateDatabase, openStorage } from './storage/open.ts';

interface Command {
  readonly summary: string;
  run(config: Config): Promise<string>;
}

const commands: Readonly<Record<string, Command>> = {
  'check-config': {
    summary: 'say whether the configuration is sound',
    run: async () => 'The configuration is sound.',
  },
  migrate: {
    summary: 'bring the tables up to date',
    async run(config) {
      const applied = await bringUpToDate(config);
      return applied.length === 0 ? 'The tables are up to date.' : `Applied ${applied.join(', ')}.`;
    },
  },
  'rotate-token-keys': {
    summary: 'sign session tokens with a new key from two minutes on; tokens already issued stay good',
    async run(config) {
      await bringUpToDate(config);
      const storage = await openStorage(config.database);
      try {
        const { keys, signsFrom } = await storage.transaction((tx) =>
          rotateTokenKeys(tx, systemClock(), config.tokenLifetimeMs),
        );
        return `A new key signs from ${signsFrom}; ${keys} keys are accepted.`;
      } finally {
        await storage.close();
      }
    },
  },
};

/** Makes what is not there yet, so that a command may come before the first start; answers the migrations applied. */
function bringUpToDate({ database, dataDirectory }: Config): Promise<readonly string[]> {
  if (database.engine === 'sqlite') makeDataDirectory(dataDirectory);
  return migrateDatabase(database, systemClock());
}

const [name = ''] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  const list = Object.entries(commands).map(([each, { summary }]) => `  ${each.padEnd(20)}${summary}`);
  process.stderr.write(`Usage: npm run latchkey -- <command>\n\n${list.join('\n')}\n`);
  process.exitCode = 2;
} else {
  try {
    process.stdout.write(`${await command.run(loadConfig(process.env))}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
