/** The clocks of the machine in Node.js. */
import { uptime } from 'node:os';
import type { Clock } from '../trusted-clock.ts';

/** The system's uptime goes on while the machine sleeps. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => uptime() * 1000,
  countsSleep: true,
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
