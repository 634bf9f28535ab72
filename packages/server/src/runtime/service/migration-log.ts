/** Logs the migrations of a start. */
import type { Logger } from 'pino';
import type { MigrationListener } from '../../storage/migrations/migrate.ts';
import { migrations } from '../../storage/migrations/migrations.ts';

/**
 * Returns a listener that logs each migration of an older database, and the making of a new one in one line: the first
 * start would otherwise show a hundred lines before the address of the service.
 */
export function logMigrations(logger: Pick<Logger, 'info' | 'debug'>): MigrationListener {
  let left = 0;
  let isNew = false;
  let totalMs = 0;
  const log = (line: object) => logger[isNew ? 'debug' : 'info'](line);
  return {
    started(name, number, count) {
      isNew ||= name === migrations[0]?.name;
      left = count - number;
      log({ event: 'migration.started', name, number, count });
    },
    underWay: (name, durationMs) =>
      logger.info({ event: 'migration.under_way', name, durationMs: Math.round(durationMs) }),
    done(name, durationMs) {
      totalMs += durationMs;
      log({ event: 'migration.done', name, durationMs: Math.round(durationMs) });
      if (isNew && left === 0)
        logger.info({ event: 'tables.created', migrations: migrations.length, durationMs: Math.round(totalMs) });
    },
  };
}
