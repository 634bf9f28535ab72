/** The order of deliveries to one destination: those of one license go one after the other (rules 12.3). */
import type { Pending, PendingDeliveries } from './pending.ts';
import { holdsBack, isDue } from './schedule.ts';

/**
 * Yields the deliveries that may begin. Deliveries of changes come first, and one holds back the later ones of its
 * license. Requested ones (`resend`, `replay`) follow: each waits while another delivery of its license is under way or
 * to be sent, so it never precedes or delays a change.
 *
 * @param isEarly true if deliveries may begin before they are due
 */
export function* inLicenseOrder(
  deliveries: PendingDeliveries,
  now: number,
  isEarly: boolean,
): Generator<Pending, undefined> {
  const held = new Set(deliveries.licensesUnderWay);
  for (const isRequested of deliveries.requested > 0 ? [false, true] : [false])
    for (const delivery of deliveries.inOrder()) {
      const { cause, licenseKey, isUnderWay, firstAt, dueAt } = delivery;
      if ((cause !== 'change') !== isRequested) continue;
      const isHeld = licenseKey !== null && held.has(licenseKey);
      if (licenseKey !== null && holdsBack(firstAt, now)) held.add(licenseKey);
      if (!isUnderWay && !isHeld && (isEarly || isDue(dueAt, now))) yield delivery;
    }
}
