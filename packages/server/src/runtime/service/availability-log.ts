/** Tells the log when the database goes away, and when it is back. */
import type { Logger } from 'pino';
import type { Availability } from '../../storage/contract/storage.ts';

/** The operator's first steps; docs/operators/operations.md has the rest. */
const AFTER_DAMAGE =
  'stop the service and run the command check; restore the last backup, or recover the readable rows with sqlite3';

/**
 * Logs one line when the database goes away and one when it is back, for any number of calls that failed in between.
 */
export function logAvailability(logger: Logger, availability: Availability): void {
  if (availability.state === 'available') logger.warn({ event: 'database.back' });
  else if (availability.state === 'gone') logger.fatal({ event: 'database.gone', reason: availability.reason });
  else if (availability.state === 'damaged')
    logger.fatal({ event: 'database.damaged', reason: availability.reason, nextStep: AFTER_DAMAGE });
  else {
    const { state, reason } = availability;
    logger.error({ event: 'database.away', serves: state === 'unwritable' ? 'reads' : 'nothing', reason });
  }
}
