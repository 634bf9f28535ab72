/** Runs the job that tells the operator, as one node does. */
import { jobsOf } from '../../../src/app.ts';
import { NOTICE_JOB } from '../../../src/insight/operator-notices/jobs.ts';
import { NOTICE_KINDS } from '../../../src/insight/operator-notices/notice-kinds.ts';
import type { OperatorNotices } from '../../../src/insight/operator-notices/settings.ts';
import type { JobTime } from '../../../src/platform/jobs/job.ts';
import { runInTurn } from '../../../src/platform/jobs/schedule.ts';
import type { Storage } from '../../../src/storage/contract/storage.ts';
import { jobContextOf } from '../../support/contexts.ts';

export const OPERATOR = 'ops@example.com';

export const NOTICES: OperatorNotices = {
  addresses: [OPERATOR],
  kinds: NOTICE_KINDS,
  consoleUrl: 'https://licenses.example.com/console',
  label: 'staging',
};

/** Returns the number of news, the digest included. */
export async function tell(storage: Storage, time: JobTime, settings: Partial<OperatorNotices> = {}): Promise<unknown> {
  const context = jobContextOf(storage, { operatorNotices: { ...NOTICES, ...settings }, sendsMail: true });
  const jobs = jobsOf(context).filter(({ name }) => name === NOTICE_JOB);
  return (await runInTurn(jobs, { storage, clock: time.steadyNow, time }))[0];
}
