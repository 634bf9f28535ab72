import { resolve } from 'node:path';
import { systemClock, toTimestamp } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { makeDataDirectory } from '../../runtime/config/data-directory.ts';
import type { Database } from '../../storage/contract/database.ts';
import { newerTables } from '../../storage/migrations/migrate.ts';
import { findSchemaVersion } from '../../storage/migrations/schema-store.ts';
import { migrateDatabase, newestSchemaVersion, withStorage } from '../../storage/opening/open.ts';
import { readKept } from '../../storage/opening/snapshot.ts';
import { inspectBackup, replaceSqlite } from '../../storage/sqlite/sqlite-backup.ts';
import {
  endSignInsAndKeepRevoked,
  KEEP_REVOKED_FROM,
  KEEP_REVOKED_OPTION,
  KEEP_SENDING,
  KEEP_SENDING_OPTION,
} from './after-restore.ts';
import type { Command } from './command.ts';
import { databaseAt } from './database-url.ts';
import { tellingRoom } from './free-room.ts';

const NAME = 'restore';

export const restore: Command = {
  name: NAME,
  summary: 'replace the SQLite database with a backup, while no server uses it; the previous database is kept',
  positionals: ['FILE'],
  options: { [KEEP_REVOKED_FROM]: KEEP_REVOKED_OPTION, [KEEP_SENDING]: KEEP_SENDING_OPTION },
  example: 'restore /backups/latchkey-2027-01-31.db --keep-revoked-from data/latchkey.db',
  async run({ config, positionals: [given = ''], options, print, warn }) {
    const { database } = config;
    if (database.engine === 'postgres')
      throw new Error(
        'PostgreSQL restores its own backups; run the command after-restore afterwards. See "Backup and restore" in ' +
          'docs/operators/operations.md.',
      );
    const file = resolve(process.env.INIT_CWD ?? '.', given);
    const { licenses } = inspectBackup(file);
    const schemaVersion = await readKept({ engine: 'sqlite', file }, findSchemaVersion);
    if (schemaVersion > newestSchemaVersion())
      throw new Error(`The backup is newer. ${newerTables(schemaVersion, newestSchemaVersion())}`);
    const keptFrom = options.get(KEEP_REVOKED_FROM);
    const kept = keptFrom === undefined ? null : databaseAt(KEEP_REVOKED_FROM, keptFrom);
    for (const warning of makeDataDirectory(config.dataDirectory)) warn(`Warning: ${warning}`);
    // No colons, because Windows does not allow them in file names.
    const keepAs = `${database.file}.before-${toTimestamp(systemClock()).replaceAll(':', '')}`;
    let lines: readonly string[] = [];
    const isKept = await tellingRoom(file, [database.file], () =>
      replaceSqlite(database.file, file, keepAs, async (partial) => {
        const restored: Database = { engine: 'sqlite', file: partial };
        // The changes carried over are recorded, which needs tables of this version.
        if (kept !== null) await migrateDatabase(restored, systemClock());
        const keepsSending = options.has(KEEP_SENDING);
        lines = await withStorage(restored, {}, (storage) =>
          endSignInsAndKeepRevoked(storage, config, kept, { name: NAME, keepsSending }),
        );
      }),
    );
    print(`Restored ${file}: ${counted(licenses, 'license')}.`);
    if (isKept) print(`Previous database kept as ${keepAs}`);
    if (schemaVersion < newestSchemaVersion() && kept === null)
      print(`Its tables have version ${schemaVersion}; the next start updates them to ${newestSchemaVersion()}.`);
    for (const line of lines) print(line);
  },
};
