import { systemClock } from '../clock.ts';
import type { MigrationListener } from '../storage/migrate.ts';
import { listPendingMigrations, migrateDatabase } from '../storage/open.ts';
import { type Command, requireDatabase } from './command.ts';

const DRY_RUN = 'dry-run';

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the tables up to date; creates them in an empty PostgreSQL database',
  positionals: [],
  options: { [DRY_RUN]: { meaning: 'only list the missing migrations' } },
  example: 'migrate --dry-run',
  async run({ config, options, print, warn }) {
    requireDatabase(config);
    if (!options.has(DRY_RUN)) {
      const names = await migrateDatabase(config.database, systemClock(), undefined, listenerFor(warn));
      print(names.length === 0 ? UP_TO_DATE : `Applied ${names.join(', ')}.`);
      return;
    }
    const missing = await listPendingMigrations(config.database);
    if (missing.length === 0) return print(UP_TO_DATE);
    print(`Missing: ${namesOf(missing)}.`);
    const stopping = missing.filter(({ olderNodes }) => olderNodes === 'must stop');
    print(
      stopping.length === 0
        ? 'Nodes of the previous version may keep serving meanwhile, and may be restarted.'
        : `Stop all nodes of older versions first: they cannot work with ${namesOf(stopping)}.`,
    );
  },
};

const UP_TO_DATE = 'The tables are up to date.';

/** Reports each migration beside the result: some take minutes on a large database. */
function listenerFor(warn: (line: string) => void): MigrationListener {
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  return {
    started: (name, number, count) => warn(`${name} (${number} of ${count}) started.`),
    underWay: (name, elapsedMs) => warn(`${name} has been running for ${seconds(elapsedMs)}.`),
    done: (name, durationMs) => warn(`${name} took ${seconds(durationMs)}.`),
  };
}

function namesOf(migrations: readonly { readonly name: string }[]): string {
  return migrations.map(({ name }) => name).join(', ');
}
