import { systemClock } from '../clock.ts';
import { listPendingMigrations, migrateDatabase } from '../storage/open.ts';
import { type Command, requireDatabase } from './command.ts';

const DRY_RUN = 'dry-run';

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the tables up to date, those of an empty PostgreSQL database included',
  positionals: [],
  options: { [DRY_RUN]: { meaning: 'only say which migrations are missing' } },
  example: 'migrate --dry-run',
  async run({ config, options, print }) {
    requireDatabase(config);
    const isDry = options.has(DRY_RUN);
    const names = isDry
      ? await listPendingMigrations(config.database)
      : await migrateDatabase(config.database, systemClock());
    if (names.length === 0) print('The tables are up to date.');
    else print(`${isDry ? 'Missing: ' : 'Applied '}${names.join(', ')}.`);
  },
};
