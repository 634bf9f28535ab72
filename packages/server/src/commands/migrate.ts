import { systemClock } from '../clock.ts';
import { migrateDatabase } from '../storage/open.ts';
import { type Command, requireDatabase } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the tables up to date, those of an empty PostgreSQL database included',
  positionals: [],
  options: {},
  async run({ config, print }) {
    requireDatabase(config);
    const applied = await migrateDatabase(config.database, systemClock());
    print(applied.length === 0 ? 'The tables are up to date.' : `Applied ${applied.join(', ')}.`);
  },
};
