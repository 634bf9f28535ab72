/** The job that tells the operator: of several nodes one tells, and what it told is stored with its e-mails. */
import { DAY_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { countRates, type RateLimit } from '../../platform/rates/rates.ts';
import type { JobContext } from '../../platform/slice/slice.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { type Condition, decideRound } from './condition.ts';
import { digestOf } from './digest.ts';
import { dueWeek } from './digest-week.ts';
import { findConditions } from './find-conditions.ts';
import { digestMail, noticeMail, noticeText, type OperatorText, queueToOperator } from './notice-mail.ts';
import { readNotices, removeNotices, saveDigest, saveNotices } from './notice-store.ts';
import type { OperatorNotices } from './settings.ts';

export const NOTICE_JOB = 'tell the operator';

/** E-mails about conditions that the operator gets in 24 hours; further news wait and come together. */
const MOST_IN_A_DAY: RateLimit = { subject: 'notices to the operator', max: 12, windowMs: DAY_MS };

export const noticeJobs = ({
  settings: { operatorNotices, sendsMail },
}: Pick<JobContext, 'settings'>): readonly Job[] =>
  operatorNotices === null || !sendsMail
    ? []
    : [
        {
          ...{ name: NOTICE_JOB, every: 5 * MINUTE_MS, leased: true },
          async run({ storage, time }, lease) {
            const now = time.believableNow();
            if (now === null) return 0;
            const { present, known, digestAt } = await storage.read(async (sql) => ({
              present: await findConditions(sql, operatorNotices.kinds, now),
              ...(await readNotices(sql)),
            }));
            const isFirstLook = digestAt === null || digestAt > now;
            const week = isFirstLook ? null : dueWeek(digestAt, now);
            const hasDigest = operatorNotices.kinds.includes('digest') && (isFirstLook || week !== null);
            if (present.length === 0 && known.length === 0 && !hasDigest) return 0;
            const digest =
              hasDigest && week !== null
                ? await storage.read((sql) => digestOf(sql, operatorNotices, week, present, now))
                : null;
            const held = await lease.hold(async (tx) => {
              const told = await tell(tx, operatorNotices, present, now);
              return hasDigest ? told + (await sumUp(tx, operatorNotices, digest, digestAt, now)) : told;
            });
            await lease.done();
            return held?.done ?? 0;
          },
        },
      ];

/** Tells of the conditions that are present; returns the number of news. */
async function tell(tx: Tx, settings: OperatorNotices, present: readonly Condition[], now: number): Promise<number> {
  const { known } = await readNotices(tx);
  let round = decideRound(known, present, true, now);
  if (round.news.length > 0 && (await countRates(tx, [MOST_IN_A_DAY], now)) !== null)
    round = decideRound(known, present, false, now);
  await saveNotices(tx, round.saved);
  await removeNotices(tx, round.removed);
  if (round.news.length > 0) await queueToOperator(tx, noticeMail, settings, noticeText(settings, round.news), now);
  return round.news.length;
}

/**
 * Queues the digest that is due, unless another node has; returns 1 if it did. The first look for one, and one after a
 * clock that was ahead, only note their moment.
 *
 * @param seenAt the moment of the last digest when this one was made
 */
async function sumUp(
  tx: Tx,
  settings: OperatorNotices,
  digest: OperatorText | null,
  seenAt: number | null,
  now: number,
): Promise<number> {
  if ((await readNotices(tx)).digestAt !== seenAt) return 0;
  await saveDigest(tx, now);
  if (digest === null) return 0;
  await queueToOperator(tx, digestMail, settings, digest, now);
  return 1;
}
