import { fromTimestamp, systemClock, toTimestamp } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import { changesBetween } from '../recovery/changes-between.ts';
import { changesSince } from '../recovery/changes-of-events.ts';
import { databaseName } from '../storage/database-name.ts';
import type { Database } from '../storage/open.ts';
import { readKept, readSnapshot } from '../storage/snapshot.ts';
import { type Command, requireDatabase } from './command.ts';
import { databaseAt } from './database-url.ts';
import { printChanges } from './reported-changes.ts';

const IN = 'in';

export const changes: Command = {
  name: 'changes',
  summary:
    'list the licenses issued, revoked and extended, the keys dropped and the customers forgotten since a backup or time',
  options: {
    since: {
      value: 'BACKUP|TIME',
      meaning:
        'a backup (a SQLite file, or the URL of a database restored from one), or a time such as 2027-01-31T09:30Z',
      isRequired: true,
    },
    [IN]: {
      value: 'DATABASE',
      meaning: 'the database to examine, a file or a URL; the configured one by default',
    },
    json: { meaning: 'print one JSON object per line, for programs' },
  },
  example: 'changes --since /backups/latchkey-2027-01-31.db',
  async run({ config, options, print, warn }) {
    const { name, read } = lookedAt(config, options.get(IN));
    const printed = { isJson: options.has('json'), print };
    const since = options.get('since')!;
    const moment = momentOf(since);
    if (moment !== null) {
      warnOfRetention(config, moment, warn);
      await read((sql) => printChanges(changesSince(sql, moment), printed));
      return;
    }
    const backup = databaseAt('since', since);
    warn(`Since: ${databaseName(backup)}. In: ${name}.`);
    await readKept(backup, (earlier) => read((later) => printChanges(changesBetween(earlier, later), printed)));
  },
};

/** Returns the examined database, by its name, and the way to read it: the present one may be in use. */
function lookedAt(config: Config, given: string | undefined) {
  if (given === undefined) {
    requireDatabase(config);
    return { name: databaseName(config.database), read: readerOf(config.database, readSnapshot) };
  }
  const database = databaseAt(IN, given);
  return { name: databaseName(database), read: readerOf(database, readKept) };
}

function readerOf(database: Database, read: typeof readSnapshot) {
  return (work: Parameters<typeof readSnapshot<void>>[1]) => read(database, work);
}

/** Parses a time, in milliseconds; null if the text is not a time. */
function momentOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text)) return null;
  const isZoned = text.length === 10 || /(Z|[+-]\d{2}:\d{2})$/.test(text);
  const moment = fromTimestamp(isZoned ? text : `${text}Z`);
  if (Number.isNaN(moment)) throw new Error(`--since ${text} is not a valid time.`);
  return moment;
}

function warnOfRetention({ eventRetentionMs }: Config, moment: number, warn: (line: string) => void): void {
  const kept = systemClock() - eventRetentionMs;
  if (moment < kept)
    warn(
      `Events are kept since ${toTimestamp(kept)} (LATCHKEY_EVENT_RETENTION): earlier changes are not listed. ` +
        'Compare with a backup instead.',
    );
}
