/** Logs conditions that begin and end while the service runs. */
import type { Logger } from 'pino';
import { type Clock, MINUTE_MS } from '../../ground/base/clock.ts';
import { repeat } from '../../platform/jobs/repeat.ts';
import type { Condition } from '../../platform/slice/slice.ts';
import type { Storage } from '../../storage/contract/storage.ts';

/**
 * Looks at each condition once a minute, and logs when it begins and when it ends. The first look is an interval after
 * the start, because a node that starts does not yet do all of its work.
 *
 * @returns a function that stops it
 */
export function watchConditions(
  conditions: readonly Condition[],
  logger: Pick<Logger, 'warn'>,
  read: Storage['read'],
  clock: Clock,
  intervalMs = MINUTE_MS,
): () => Promise<void> {
  const present = new Set<Condition>();
  return repeat(intervalMs, async () => {
    for (const condition of conditions) {
      // A database that cannot be read is reported elsewhere.
      const warning = await read((sql) => condition.find(sql, clock())).catch(() => undefined);
      if (warning === undefined || present.has(condition) === (warning !== null)) continue;
      if (warning === null) present.delete(condition);
      else present.add(condition);
      logger.warn(warning === null ? condition.ended() : condition.began(warning));
    }
  });
}
