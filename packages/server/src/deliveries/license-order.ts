/** The order of deliveries to one destination: those of one license go one after the other (rules 12.3). */
import { holdsBack, isDue } from './schedule.ts';
import type { StoredDelivery } from './store.ts';

/** A delivery with its state in memory. */
export interface Ordered extends StoredDelivery {
  readonly isUnderWay: boolean;
}

/**
 * Yields the deliveries that may begin. Deliveries of changes come first, and one holds back the later ones of its
 * license. Requested ones (`resend`, `replay`) follow: each waits while another delivery of its license is under way or
 * to be sent, so it never precedes or delays a change.
 *
 * @param deliveries by event id, in the order of their positions
 * @param isEarly true if deliveries may begin before they are due
 */
export function* inLicenseOrder<Each extends Ordered>(
  deliveries: ReadonlyMap<string, Each>,
  now: number,
  isEarly: boolean,
): Generator<Each, undefined> {
  const held = new Set<string>();
  let areRequested = false;
  for (const { cause, licenseKey, isUnderWay } of deliveries.values()) {
    if (isUnderWay && licenseKey !== null) held.add(licenseKey);
    if (cause !== 'change') areRequested = true;
  }
  for (const isRequested of areRequested ? [false, true] : [false])
    for (const delivery of deliveries.values()) {
      const { cause, licenseKey, isUnderWay, firstAt, dueAt } = delivery;
      if ((cause !== 'change') !== isRequested) continue;
      const isHeld = licenseKey !== null && held.has(licenseKey);
      if (licenseKey !== null && holdsBack(firstAt, now)) held.add(licenseKey);
      if (!isUnderWay && !isHeld && (isEarly || isDue(dueAt, now))) yield delivery;
    }
}
