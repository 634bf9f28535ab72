/** The job of expiry notices. */
import type { Job } from '../../platform/jobs/job.ts';
import { inSteps } from '../../platform/jobs/tidying.ts';
import type { JobContext } from '../../platform/slice/slice.ts';
import { DELAY_MS, EXPIRY_JOB, noticeKinds } from './notice.ts';
import { NoticeRecorder } from './record-notices.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** Times before the expiry of a license at which it gets a notice, in whole days; null for no notices. */
    readonly expiryNoticesMs: readonly number[] | null;
  }
}

export const expiryNoticeJobs = ({ settings: { expiryNoticesMs } }: Pick<JobContext, 'settings'>): readonly Job[] => {
  const recorder = new NoticeRecorder(noticeKinds(expiryNoticesMs));
  const steps = inSteps(EXPIRY_JOB, { step: recorder.step, ageMs: DELAY_MS });
  return [
    {
      ...steps,
      run: async (work, lease) => ((await work.storage.read(recorder.look)) ? steps.run(work, lease) : 0),
    },
  ];
};
