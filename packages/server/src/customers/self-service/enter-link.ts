import { DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { takeLink } from './link-store.ts';
import { beginCustomerSession } from './session.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

/** Exchanges a link for a session, once (rules 13.3). */
export const enterLink = inner('enterLink', CUSTOMER, CUSTOMER_CALLS.enterLink, ['link_not_accepted']).write(
  async (tx, { fields, origin: { now }, ruleContext }) => {
    const link =
      ruleContext.settings.selfService === null ? undefined : await takeLink(tx, fields.link, toTimestamp(now));
    // One made more than a day from now came from a clock that was ahead.
    if (link === undefined || link.createdAt > toTimestamp(now + DAY_MS)) return refuse('link_not_accepted');
    const { emailFolded, creatorId, staffName } = link;
    const begun = { sessionId: fields.newSession, emailFolded, creatorId, staffName };
    return { endsAt: await beginCustomerSession(tx, begun, now) };
  },
);
