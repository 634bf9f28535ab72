/** The order of deliveries to one destination: those of one license go one after the other (rules 12.3). */
import { holdsBack, isDue } from './schedule.ts';
import type { StoredDelivery } from './store.ts';

/** A delivery with its state in memory. */
export interface Ordered extends StoredDelivery {
  readonly isUnderWay: boolean;
}

/** The deliveries of a destination. */
export interface OrderedDeliveries<Each extends Ordered> {
  /** All of them in the order of their positions. */
  inOrder(): Iterable<Each>;
  /** Licenses with a delivery under way. */
  readonly licensesUnderWay: ReadonlySet<string>;
  /** Number of requested deliveries. */
  readonly requested: number;
}

/**
 * Yields the deliveries that may begin. Deliveries of changes come first, and one holds back the later ones of its
 * license. Requested ones (`resend`, `replay`) follow: each waits while another delivery of its license is under way or
 * to be sent, so it never precedes or delays a change.
 *
 * @param isEarly true if deliveries may begin before they are due
 */
export function* inLicenseOrder<Each extends Ordered>(
  deliveries: OrderedDeliveries<Each>,
  now: number,
  isEarly: boolean,
): Generator<Each, undefined> {
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
