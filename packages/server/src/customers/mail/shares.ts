/** The shares of the hourly limit of e-mails (rules 13.1). Only sent e-mails count. */
import { HOUR_MS } from '../../ground/base/clock.ts';
import type { RateLimit } from '../../platform/rates/rates.ts';

/** The part of the limit that is kept for kinds with an own share: one of so many. */
const OWN_PART = 4;
/** The part of the limit that one creator has at most: a connector writes to any address that it is told. */
const CREATORS_PART = 4;
/** The part that e-mails to newcomers share. */
const NEWCOMERS_PART = 10;

/** The limits of one hour. */
export interface MailShares {
  readonly all: RateLimit;
  /** E-mails of kinds without an own share. */
  readonly others: RateLimit;
  readonly newcomers: RateLimit;
  /** E-mails of a creator's kinds without an own share. */
  ofCreator(creatorId: string): RateLimit;
}

/** The shares of a limit; null is no limit. */
export function sharesOf(perHour: number | null): MailShares {
  const share = (subject: string, max: number) => ({
    subject,
    max: perHour === null ? Infinity : max,
    windowMs: HOUR_MS,
  });
  const most = perHour ?? 0;
  return {
    all: share('mails', most),
    others: share('mails of other kinds', most - Math.floor(most / OWN_PART)),
    ofCreator: (creatorId) => share(`mails of ${creatorId}`, Math.max(1, Math.floor(most / CREATORS_PART))),
    newcomers: share('mails to newcomers', Math.max(1, Math.floor(most / NEWCOMERS_PART))),
  };
}
