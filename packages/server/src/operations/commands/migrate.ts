import { systemClock } from '../../ground/base/clock.ts';
import type { MigrationListener } from '../../storage/migrations/migrate.ts';
import { listPendingMigrations, migrateDatabase } from '../../storage/opening/open.ts';
import { type Command, requireDatabase } from './command.ts';
import { databaseAt } from './database-url.ts';
import { inSeconds, rehearse, totalOf } from './migration-rehearsal.ts';

const DRY_RUN = 'dry-run';
const REHEARSE_ON = 'rehearse-on';

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the tables up to date; creates them in an empty PostgreSQL database',
  options: {
    [DRY_RUN]: { meaning: 'only list the missing migrations' },
    [REHEARSE_ON]: {
      value: 'DATABASE',
      meaning: 'migrate this copy instead, a file or a URL, and keep the duration for the command check',
    },
  },
  example: 'migrate --dry-run',
  async run({ config, options, print, warn }) {
    const copy = options.get(REHEARSE_ON);
    if (copy !== undefined) {
      const database = databaseAt(REHEARSE_ON, copy);
      requireDatabase({ database });
      const durations = await rehearse(config, database, systemClock(), listenerFor(warn));
      const names = Object.keys(durations);
      const total = inSeconds(totalOf(Object.values(durations)));
      return print(names.length === 0 ? UP_TO_DATE : `Rehearsed ${names.join(', ')} in ${total}.`);
    }
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
  return {
    started: (name, number, count) => warn(`${name} (${number} of ${count}) started.`),
    underWay: (name, elapsedMs) => warn(`${name} has been running for ${inSeconds(elapsedMs)}.`),
    done: (name, durationMs) => warn(`${name} took ${inSeconds(durationMs)}.`),
  };
}

function namesOf(migrations: readonly { readonly name: string }[]): string {
  return migrations.map(({ name }) => name).join(', ');
}
