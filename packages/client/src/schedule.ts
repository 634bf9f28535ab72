/**
 * The times of the client's next requests, in whole milliseconds. Pure: `random` is from 0 up to 1 and spreads the
 * requests of many apps.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The next check of a license without seats: a day, plus or minus two hours. */
export function untilDailyCheck(random: number): number {
  return Math.floor(22 * HOUR_MS + random * 4 * HOUR_MS);
}

/** The next check of a refused license, which may be renewed or reinstated: an hour, plus or minus a tenth. */
export function untilRefusedCheck(random: number): number {
  return spread(HOUR_MS, random);
}

/**
 * The next heartbeat.
 *
 * @param heartbeatMs the app's preferred interval
 * @param seatMs time for which the seat is held without a heartbeat; null if the server did not say
 */
export function untilHeartbeat(heartbeatMs: number, seatMs: number | null, random: number): number {
  const third = seatMs === null ? heartbeatMs : seatMs / 3;
  return spread(Math.max(SECOND_MS, Math.min(heartbeatMs, third)), random);
}

/**
 * The next retry after `failures` failures in a row: a random time in the upper half of 5, 10, 20, 40, 60 seconds for
 * seats. For licenses without seats the back-off continues up to an hour.
 */
export function untilRetry(failures: number, hasSeat: boolean, random: number): number {
  const longest = hasSeat ? MINUTE_MS : HOUR_MS;
  const step = Math.min(longest, 5 * SECOND_MS * 2 ** Math.min(failures - 1, 20));
  return upperHalf(step, random);
}

/**
 * The next request for a free seat: half a minute to a minute after the first answer without one, then doubling up to
 * five minutes.
 *
 * @param polls answers without a free seat, from 1
 */
export function untilSeatPoll(polls: number, random: number): number {
  return upperHalf(Math.min(5 * MINUTE_MS, MINUTE_MS * 2 ** Math.min(polls - 1, 20)), random);
}

/** A random time in the upper half of a step. */
function upperHalf(step: number, random: number): number {
  return Math.floor(step / 2 + (random * step) / 2);
}

/** Plus or minus a tenth. */
function spread(milliseconds: number, random: number): number {
  return Math.floor(milliseconds * (0.9 + random * 0.2));
}
