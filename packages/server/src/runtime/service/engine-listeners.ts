/** Logs and measures the reports of an engine beside its calls. */
import type { Logger } from 'pino';
import { logReports, reportCommit } from '../../app.ts';
import type { ClockState } from '../../platform/believed-time/believed-time.ts';
import type { Report } from '../../platform/senders/sender.ts';
import { databaseName } from '../../storage/postgres/database-name.ts';
import type { Config } from '../config/config.ts';
import type { EngineListeners } from '../engines/engine.ts';
import type { Metrics } from './metrics.ts';
import { logMigrations } from './migration-log.ts';

/** @param noteClock receives the state of the clock; @param metrics null if they are off */
export function listenToEngine(
  { database }: Config,
  logger: Logger,
  metrics: Metrics | null,
  noteClock: (state: ClockState) => void,
): EngineListeners {
  const logReport = logReports(logger);
  const report: Report = (kind, told) => {
    logReport(kind, told);
    metrics?.report(kind, told);
  };
  return {
    awaited(reason, waitMs) {
      const warning = `the database cannot be reached yet; the start retries for ${waitMs / 1000} seconds (LATCHKEY_DATABASE_WAIT)`;
      logger.warn({ event: 'database.awaited', warning, database: databaseName(database), reason });
    },
    reached: () => logger.warn({ event: 'database.reached' }),
    noticed: (warning) => logger.warn({ event: 'session.noticed', warning }),
    failure(failure) {
      logger.error({ event: 'job.failed', failure });
      metrics?.noteFailedJob();
    },
    migrations: logMigrations(logger),
    clock: noteClock,
    committed: (published) => reportCommit(published, report),
    report,
    death(role, error) {
      logger.fatal({ event: `${role}.died`, failure: error.stack });
      logger.flush(() => process.exit(1));
    },
  };
}
