import { closeSync, futimesSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { filesBeside } from '../../runtime/config/data-directory.ts';
import { backUpSqlite } from '../../storage/sqlite/sqlite-backup.ts';
import { type Command, requireDatabase } from './command.ts';
import { tellingRoom } from './free-room.ts';
import { rehearsalFile } from './migration-rehearsal.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'copy the SQLite database to a new file while the service runs, and check the copy',
  positionals: ['FILE'],
  example: 'backup /backups/latchkey-2027-01-31.db',
  async run({ config, positionals: [file = ''], print, warn }) {
    if (config.database.engine === 'postgres')
      throw new Error(
        'PostgreSQL makes its own backups: pg_dump for one moment, or a base backup with its log for any moment. See ' +
          '"Backup and restore" in docs/operators/operations.md.',
      );
    requireDatabase(config);
    const target = resolve(process.env.INIT_CWD ?? '.', file);
    const source = config.database.file;
    const { bytes, schemaVersion, licenses } = await tellingRoom(source, [source, target], async () =>
      backUpSqlite(source, target),
    );
    print(`${target}: ${counted(bytes, 'byte')}, ${counted(licenses, 'license')}, tables of version ${schemaVersion}.`);
    try {
      touch(config.backupMark);
    } catch (error) {
      warn(`Warning: the metrics do not show this backup (LATCHKEY_BACKUP_MARK): ${(error as Error).message}`);
    }
    print('It holds license keys and the keys that sign session tokens: keep it where nobody else can read it.');
    const given = config.tlsFiles === null ? [] : Object.values(config.tlsFiles);
    const left = [...filesBeside(config.database.file), ...given].filter(
      (each) => ![target, config.backupMark, rehearsalFile(config.dataDirectory)].includes(each),
    );
    if (left.length > 0) print(`Not included; back up separately: ${left.join(', ')}.`);
  },
};

/** Creates an empty file, or sets its time. Never writes into it: the name may be that of the backup itself. */
function touch(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    const seconds = systemClock() / 1000;
    futimesSync(descriptor, seconds, seconds);
  } finally {
    closeSync(descriptor);
  }
}
