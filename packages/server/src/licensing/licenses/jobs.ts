/** The jobs of licenses. */
import { MINUTE_MS } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { byRows, tidying } from '../../platform/jobs/tidying.ts';
import type { JobContext } from '../../platform/slice/slice.ts';
import { peakJob } from './pool-peaks.ts';
import { markLapsedLicenses, markUnlapsedLicenses } from './tidying-store.ts';
import { writeRepeats } from './violation-record.ts';

/** Interval at which repeats of violations are looked for that have been pending for a minute. */
const REPEATS_INTERVAL_MS = MINUTE_MS / 4;

export const licenseJobs = ({ ruleContext: { violationTally } }: JobContext): readonly Job[] => [
  // Some minutes late, so that nodes whose clocks differ slightly agree on every marked license.
  tidying('mark lapsed licenses', { step: byRows(markLapsedLicenses), ageMs: 5 * MINUTE_MS }),
  tidying('mark licenses that have not lapsed', { step: byRows(markUnlapsedLicenses), ageMs: 0 }),
  peakJob,
  {
    name: 'write repeats of violations',
    every: REPEATS_INTERVAL_MS,
    leased: false,
    run: ({ storage, clock }) => writeRepeats(storage, violationTally, clock(), false),
    atEnd: ({ storage, clock }) => writeRepeats(storage, violationTally, clock(), true),
  },
];
