/**
 * Preloaded into every thread of a service process (`node --import`). Lets a test move the clock, and may shorten the
 * minutes so that jobs run at once. The monotonic clock moves along where time is to pass.
 */
import { readFileSync } from 'node:fs';

const { LATCHKEY_TEST_CLOCK_FILE: file, LATCHKEY_TEST_MINUTE_MS: minuteMs, LATCHKEY_TEST_TIME_PASSES } = process.env;
const MINUTE_MS = 60_000;
const READ_EVERY_MS = 20;

const { now } = Date;
const { setInterval: setRealInterval } = globalThis;

if (file !== undefined) {
  let offset = 0;
  // While the file is being written, the previous value stays.
  const read = () => {
    const found = Number(readFileSync(file, 'utf8') || Number.NaN);
    if (Number.isFinite(found)) offset = found;
  };
  read();
  Date.now = () => now() + offset;
  // Time that passes moves the monotonic clock as well; a wrong clock does not.
  if (LATCHKEY_TEST_TIME_PASSES === 'on') {
    const elapsed = performance.now.bind(performance);
    performance.now = () => elapsed() + offset;
  }
  setRealInterval(read, READ_EVERY_MS).unref();
}

if (minuteMs !== undefined)
  globalThis.setInterval = ((work: () => void, delay?: number, ...more: []) =>
    setRealInterval(work, delay === MINUTE_MS ? Number(minuteMs) : delay, ...more)) as typeof setInterval;
