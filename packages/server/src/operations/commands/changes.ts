import { fromTimestamp, systemClock, toTimestamp } from '../../ground/base/clock.ts';
import type { Config } from '../../runtime/config/config.ts';
import { readKept, readSnapshot } from '../../storage/opening/snapshot.ts';
import { databaseName } from '../../storage/postgres/database-name.ts';
import { changesBetween } from '../recovery/changes-between.ts';
import { changesSince } from '../recovery/changes-of-events.ts';
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
    const given = options.get(IN);
    if (given === undefined) requireDatabase(config);
    const database = given === undefined ? config.database : databaseAt(IN, given);
    // The present database may be in use.
    const read = given === undefined ? readSnapshot : readKept;
    const printed = { isJson: options.has('json'), print };
    const since = options.get('since')!;
    const moment = momentOf(since);
    if (moment !== null) {
      warnOfRetention(config, moment, warn);
      await read(database, (sql) => printChanges(changesSince(sql, moment), printed));
      return;
    }
    const backup = databaseAt('since', since);
    warn(`Since: ${databaseName(backup)}. In: ${databaseName(database)}.`);
    await readKept(backup, (earlier) =>
      read(database, (later) => printChanges(changesBetween(earlier, later), printed)),
    );
  },
};

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
