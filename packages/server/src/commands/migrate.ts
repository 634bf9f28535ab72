import { systemClock } from '../clock.ts';
import type { MigrationListener } from '../storage/migrate.ts';
import { listPendingMigrations, migrateDatabase } from '../storage/open.ts';
import { type Command, requireDatabase } from './command.ts';

const DRY_RUN = 'dry-run';

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the tables up to date, those of an empty PostgreSQL database included',
  positionals: [],
  options: { [DRY_RUN]: { meaning: 'only say which migrations are missing' } },
  example: 'migrate --dry-run',
  async run({ config, options, print, warn }) {
    requireDatabase(config);
    if (!options.has(DRY_RUN)) {
      const names = await migrateDatabase(config.database, systemClock(), undefined, toldTo(warn));
      print(names.length === 0 ? UP_TO_DATE : `Applied ${names.join(', ')}.`);
      return;
    }
    const missing = await listPendingMigrations(config.database);
    if (missing.length === 0) return print(UP_TO_DATE);
    print(`Missing: ${namesOf(missing)}.`);
    const stopping = missing.filter(({ olderNodes }) => olderNodes === 'must stop');
    print(
      stopping.length === 0
        ? 'Nodes of the version before may go on serving meanwhile, and may be started again.'
        : `Stop all nodes of older versions before: they do not know ${namesOf(stopping)}.`,
    );
  },
};

const UP_TO_DATE = 'The tables are up to date.';

/** Reports each migration beside the result: some take minutes on a large database. */
function toldTo(warn: (line: string) => void): MigrationListener {
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  return {
    started: (name, number, count) => warn(`${name} (${number} of ${count}) begins.`),
    underWay: (name, elapsedMs) => warn(`${name} is under way since ${seconds(elapsedMs)}.`),
    done: (name, durationMs) => warn(`${name} took ${seconds(durationMs)}.`),
  };
}

function namesOf(migrations: readonly { readonly name: string }[]): string {
  return migrations.map(({ name }) => name).join(', ');
}
