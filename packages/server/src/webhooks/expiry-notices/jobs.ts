/** The job of expiry notices. */
import type { Job, JobContext } from '../../platform/jobs/job.ts';
import { inSteps } from '../../platform/jobs/tidying.ts';
import { DELAY_MS, EXPIRY_JOB, noticeKinds } from './notice.ts';
import { NoticeRecorder } from './record-notices.ts';

declare module '../../platform/jobs/job.ts' {
  interface JobContext {
    /** Times before the expiry of a license at which it gets a notice, in whole days; null for no notices. */
    readonly expiryNoticesMs: readonly number[] | null;
  }
}

declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** See {@link JobContext}. */
    readonly expiryNoticesMs: readonly number[] | null;
  }
}

export const expiryNoticeJobs = ({ expiryNoticesMs }: JobContext): readonly Job[] => {
  const recorder = new NoticeRecorder(noticeKinds(expiryNoticesMs));
  const steps = inSteps(EXPIRY_JOB, { step: recorder.step, ageMs: DELAY_MS });
  return [
    {
      ...steps,
      run: async (work, lease) => ((await work.storage.read(recorder.look)) ? steps.run(work, lease) : 0),
    },
  ];
};
