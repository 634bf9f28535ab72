/** Logs the state of the service's clock while it runs: once for each change. */
import type { Logger } from 'pino';
import { clockAdvice } from '../../platform/believed-time/advice.ts';
import { type ClockState, UNKNOWN } from '../../platform/believed-time/believed-time.ts';

/** Watches the clock. */
export interface ClockWatch {
  /** The state after the last round. */
  readonly state: ClockState;
  /** True if the clock is trusted. */
  isBelieved(): boolean;
  /** Called with the state after each round. */
  note(state: ClockState): void;
}

/** @param onState also called with each state */
export function watchClock(logger: Logger, onState: (state: ClockState) => void): ClockWatch {
  let state = UNKNOWN;
  let reportedDoubt: ClockState['doubt'] = null;
  return {
    get state() {
      return state;
    },
    isBelieved: () => state.doubt === null,
    note(found) {
      state = found;
      onState(found);
      const { doubt, believedAt, believedFrom, jumpMs } = found;
      if (jumpMs !== 0) logger.warn({ event: 'clock.jumped', seconds: Math.round(jumpMs / 1_000) });
      if (doubt === reportedDoubt) return;
      reportedDoubt = doubt;
      if (doubt === null) logger.warn({ event: 'clock.believed', believedAt });
      else {
        const warning = clockAdvice(found);
        logger.error({ event: 'clock.not_believed', warning, doubt, believedAt, believedFrom });
      }
    },
  };
}
