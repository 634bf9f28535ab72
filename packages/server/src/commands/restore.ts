import { resolve } from 'node:path';
import { systemClock, toTimestamp } from '../clock.ts';
import { makeDataDirectory } from '../data-directory.ts';
import { NEWEST_SCHEMA_VERSION } from '../storage/open.ts';
import { inspectBackup, replaceSqlite } from '../storage/sqlite-backup.ts';
import type { Command } from './command.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'put a backup in place of the SQLite database, which no server may be using; the present one is kept',
  positionals: ['FILE'],
  options: {},
  example: 'restore /backups/latchkey-2027-01-31.db',
  async run({ config, positionals: [given = ''], print, warn }) {
    const { database } = config;
    if (database.engine === 'postgres')
      throw new Error('PostgreSQL restores its own backups. See "Backup and restore" in docs/operations.md.');
    const file = resolve(process.env.INIT_CWD ?? '.', given);
    const { licenses, schemaVersion } = inspectBackup(file);
    if (schemaVersion > NEWEST_SCHEMA_VERSION)
      throw new Error(
        `The backup has tables of version ${schemaVersion}, this Latchkey knows ${NEWEST_SCHEMA_VERSION}. Use the newer Latchkey.`,
      );
    for (const warning of makeDataDirectory(config.dataDirectory)) warn(`Warning: ${warning}`);
    // No colons: Windows has no file names with them.
    const keepAs = `${database.file}.before-${toTimestamp(systemClock()).replaceAll(':', '')}`;
    const isKept = replaceSqlite(database.file, file, keepAs);
    print(`Restored ${file}: ${licenses} licenses.`);
    if (isKept) print(`The database of before is kept: ${keepAs}`);
    if (schemaVersion < NEWEST_SCHEMA_VERSION)
      print(`Its tables are of version ${schemaVersion}; the next start brings them to ${NEWEST_SCHEMA_VERSION}.`);
  },
};
