/** The jobs of licenses and their machines. */
import { MINUTE_MS } from '../clock.ts';
import type { Job } from '../jobs/job.ts';
import { byRows, deletingOld, tidying } from '../jobs/tidying.ts';
import { KEPT_MS } from '../retention.ts';
import { indexNewMachines, markLapsedLicenses, markUnlapsedLicenses } from './tidying-store.ts';
import { writeRepeats } from './violation-record.ts';
import type { ViolationTally } from './violation-tally.ts';

/** Interval at which repeats of violations are looked for that have been pending for a minute. */
const REPEATS_INTERVAL_MS = MINUTE_MS / 4;

const deletingOldExtensions = deletingOld('support_extension.delete_old', {
  table: 'support_extension',
  key: ['license_key'],
  by: 'last_at',
});

export const licenseJobs = ({ violationTally }: { readonly violationTally: ViolationTally }): readonly Job[] => [
  // Some minutes late, so that nodes whose clocks differ slightly agree on every marked license.
  tidying('mark lapsed licenses', { step: byRows(markLapsedLicenses), ageMs: 5 * MINUTE_MS }),
  tidying('mark licenses that have not lapsed', { step: byRows(markUnlapsedLicenses), ageMs: 0 }),
  tidying('delete old extensions by support', { step: deletingOldExtensions, ageMs: KEPT_MS.supportExtensions }),
  tidying('index new machines', { step: byRows(indexNewMachines), ageMs: null }),
  {
    name: 'write repeats of violations',
    every: REPEATS_INTERVAL_MS,
    leased: false,
    run: ({ storage, clock }) => writeRepeats(storage, violationTally, clock(), false),
  },
];
