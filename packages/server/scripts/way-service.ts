/**
 * The service for way.ts: as `npm start` runs it, but its timers rest, so that all that runs belongs to a call. Only
 * the jobs for repeats of violations and for the reserve of disk space go on; neither has anything to write here.
 */
import { HOUR_MS } from '../src/ground/base/clock.ts';
import { loadConfig } from '../src/runtime/config/read-config.ts';
import { startServer } from '../src/runtime/service/server.ts';

const server = await startServer(loadConfig(process.env), undefined, {
  memory: { refusalIntervalMs: HOUR_MS, countIntervalMs: HOUR_MS },
  leasedJobIntervalMs: HOUR_MS,
  writeProbeIntervalMs: HOUR_MS,
});
process.once('SIGTERM', (signal) => void server.stop(signal).then(() => process.exit(0)));
