/** When the client asks next. Pure: `random` is from 0 up to 1, so that many apps do not ask at the same moment. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The next check of a license without seats: a day, give or take two hours. */
export function untilDailyCheck(random: number): number {
  return 22 * HOUR_MS + random * 4 * HOUR_MS;
}

/** A refused license may be renewed or reinstated: an hour, give or take a tenth. */
export function untilRefusedCheck(random: number): number {
  return spread(HOUR_MS, random);
}

/**
 * The next heartbeat.
 *
 * @param heartbeatMs the app's wish
 * @param seatMs how long the seat is held without one; null where the server did not say
 */
export function untilHeartbeat(heartbeatMs: number, seatMs: number | null, random: number): number {
  const third = seatMs === null ? heartbeatMs : seatMs / 3;
  return spread(Math.max(SECOND_MS, Math.min(heartbeatMs, third)), random);
}

/**
 * The next try after so many failures in a row: 5, 10, 20, 40, 60 seconds for seats, and on to an hour for licenses without,
 * anywhere in the upper half of it.
 */
export function untilRetry(failures: number, hasSeat: boolean, random: number): number {
  const longest = hasSeat ? MINUTE_MS : HOUR_MS;
  const step = Math.min(longest, 5 * SECOND_MS * 2 ** Math.min(failures - 1, 20));
  return step / 2 + (random * step) / 2;
}

/** The next question for a free seat: half a minute to a minute, then twice as long, up to five minutes. */
export function untilSeatPoll(polls: number, random: number): number {
  const step = Math.min(5 * MINUTE_MS, MINUTE_MS * 2 ** Math.min(polls, 20));
  return step / 2 + (random * step) / 2;
}

/** A tenth more or less. */
function spread(milliseconds: number, random: number): number {
  return milliseconds * (0.9 + random * 0.2);
}
