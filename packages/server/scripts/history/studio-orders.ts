/** Studio orders: schools and studios buy seats of a course, and their students redeem the codes over some weeks. */
import { DAY_MS, HOUR_MS } from '../../src/ground/base/clock.ts';
import { momentAt, type Past } from './past.ts';

const COURSES = [
  { courseId: 'c-101', courseSlug: 'mixing-basics', courseTitle: 'Mixing basics', creatorId: 'lumen-audio' },
  { courseId: 'c-204', courseSlug: 'tape-sound', courseTitle: 'The sound of tape', creatorId: 'lumen-audio' },
  { courseId: 'c-310', courseSlug: 'grids', courseTitle: 'Grids and how to leave them', creatorId: 'north-pixel' },
  { courseId: 'c-402', courseSlug: 'map-design', courseTitle: 'Map design', creatorId: 'harbour-maps' },
];
const BUYERS = [
  { buyer: 'Southbank College', seats: 24, share: 0.06 },
  { buyer: 'Blue Door Mixing', seats: 5, share: 0.16 },
  { buyer: 'Nordlys Film', seats: 8, share: 0.27 },
  { buyer: 'Atelier Nord', seats: 12, share: 0.38 },
  { buyer: 'Northfield University', seats: 40, share: 0.49 },
  { buyer: 'Studio Hansen', seats: 6, share: 0.62 },
  { buyer: 'City of Westerhaven', seats: 10, share: 0.72 },
  { buyer: 'Kanda Type', seats: 4, share: 0.84 },
  { buyer: 'Harbour Authority', seats: 16, share: 0.95 },
];
const PRICE_PER_SEAT = 2500;

/** Schedules the orders and the redemptions of their seats. */
export function planStudioOrders(past: Past): void {
  const random = past.random.of('studio orders');
  for (const [index, { buyer, seats: seatCount, share }] of BUYERS.entries()) {
    const user = buyer.toLowerCase().replaceAll(/\W+/g, '-');
    const course = COURSES[index % COURSES.length] as (typeof COURSES)[number];
    const order = {
      ...course,
      buyerEmail: `courses@${user}.example`,
      buyerUserId: user,
      seatCount,
      pricePerSeat: PRICE_PER_SEAT,
      totalAmount: PRICE_PER_SEAT * seatCount,
      currency: 'eur',
      purchaseId: `course-order-${501 + index}`,
    };
    const at = momentAt(past, share) + 9 * HOUR_MS;
    past.agenda.plan(at, user, async () => {
      const { seats } = await past.calls.storefront('/createStudioOrder', order);
      for (const [place, { code }] of seats.entries()) {
        if (!random.isTrue(0.85)) continue;
        const student = `${user}-${place + 1}`;
        // Most codes are redeemed in the first days; redemptions after the end of the history remain open.
        const redeemedAt = at + HOUR_MS + random.number() ** 2 * 40 * DAY_MS;
        past.agenda.plan(redeemedAt, user, async () => {
          await past.calls.storefront('/redeemSeatCode', {
            code,
            redeemerEmail: `${student}@students.example`,
            redeemerUserId: student,
            storefrontPurchaseId: `seat-${order.purchaseId}-${place + 1}`,
          });
        });
      }
    });
  }
}
