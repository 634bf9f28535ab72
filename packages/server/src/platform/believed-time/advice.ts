/** The advice to an operator about a clock that is not believed: the same in the log and in the command check. */
import { DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import type { ClockState } from './believed-time.ts';

const NOTHING_REMOVED = 'Until it is believed, nothing is removed or ended by time; calls are answered as usual';

/** Returns one sentence or more without secrets, with the next step; null while the clock is believed. */
export function clockAdvice({ doubt, at, believedAt, believedFrom }: ClockState): string | null {
  switch (doubt) {
    case null:
      return null;
    case 'unknown':
      return `the clock says ${toTimestamp(at)} and cannot be believed yet. ${NOTHING_REMOVED}. Correct the clock if it is wrong`;
    case 'database':
      return (
        'the clock of this machine and that of the database server are more than a minute apart. ' +
        `${NOTHING_REMOVED}. Synchronise the clocks of both`
      );
    case 'ahead':
    case 'behind': {
      const by = lengthOf(Math.abs(at - fromTimestamp(believedAt ?? '')));
      const waiting =
        believedFrom === null
          ? 'a service that runs for 24 hours without a jump of its clock believes it by itself'
          : `otherwise the clock is believed from ${believedFrom} on, unless it jumps`;
      return (
        `the clock says ${toTimestamp(at)}, which is ${by} ${doubt === 'ahead' ? 'ahead of' : 'behind'} the last believed ` +
        `time (${believedAt}). ${NOTHING_REMOVED}. Correct the clock if it is wrong. If it is right, because the service ` +
        `was stopped for long or believed a wrong time before, run latchkey believe-clock; ${waiting}`
      );
    }
  }
}

function lengthOf(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.round(ms / DAY_MS)} days`;
  return ms >= 2 * HOUR_MS ? `${Math.round(ms / HOUR_MS)} hours` : counted(Math.round(ms / MINUTE_MS), 'minute');
}
