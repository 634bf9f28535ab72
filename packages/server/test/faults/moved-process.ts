/**
 * Loaded first in every thread of a service process (`node --import`), whose clock a test moves then, and whose minutes may
 * be shorter, so that its jobs run at once. What is measured by other clocks than that of the machine stays as it is.
 */
import { readFileSync } from 'node:fs';

const { LATCHKEY_TEST_CLOCK_FILE: file, LATCHKEY_TEST_MINUTE_MS: minuteMs } = process.env;
const MINUTE_MS = 60_000;
const READ_EVERY_MS = 20;

const { now } = Date;
const { setInterval: setRealInterval } = globalThis;

if (file !== undefined) {
  let offset = 0;
  // A file that is being written is read as it was before.
  const read = () => {
    const found = Number(readFileSync(file, 'utf8') || Number.NaN);
    if (Number.isFinite(found)) offset = found;
  };
  read();
  Date.now = () => now() + offset;
  setRealInterval(read, READ_EVERY_MS).unref();
}

if (minuteMs !== undefined)
  globalThis.setInterval = ((work: () => void, delay?: number, ...more: []) =>
    setRealInterval(work, delay === MINUTE_MS ? Number(minuteMs) : delay, ...more)) as typeof setInterval;
