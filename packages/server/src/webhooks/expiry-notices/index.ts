/** Notices of licenses that expire: their tables and their job. */
import type { Slice } from '../../platform/slice/slice.ts';
import { expiryNoticeJobs } from './jobs.ts';
import { expiryNoticeTables } from './tables.ts';

export const expiryNotices: Slice = {
  tables: expiryNoticeTables,
  jobs: expiryNoticeJobs,
};
