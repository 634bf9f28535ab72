/** Single customers: purchases, trials, renewals, refunds and chargebacks, as the storefront reports them. */
import { DAY_MS, HOUR_MS } from '../../src/ground/base/clock.ts';
import { PRODUCTS, type SoldProduct, type SoldVariant, TRIAL_CODES } from './catalogue.ts';
import { momentAt, type Past, type SoldLicense } from './past.ts';
import { makeMachine, makePerson, type Person } from './people.ts';
import type { Random } from './random.ts';
import { dayShare, hourShare } from './rhythm.ts';
import { askForAnotherSlot } from './support-desk.ts';
import { install, soonAfter } from './use.ts';

/** Sales on a normal day at the beginning and at the end of the history. */
const SALES_A_DAY = [2.6, 4.4] as const;
/** The shop opened with a sale: a multiple of the normal sales for some days. */
const OPENING = { times: 7, days: 3 };
/** A newsletter goes out after these shares of the history and raises sales for two days. */
const NEWSLETTERS = [0.38, 0.77];
const NEWSLETTER_TIMES = 3.2;
const TRIALS_A_DAY = 0.9;

const SECOND_MACHINES = 0.45;
/** Share of customers with all slots in use who want one more. */
const MACHINES_TOO_MANY = 0.4;
const REFUNDS = 0.03;
const CHARGEBACKS = 0.012;
const RENEWALS = 0.86;
/** Share of trials that end in a purchase. */
const CONVINCED = 0.36;

/** Schedules all sales and trials of the history. */
export function planSales(past: Past): void {
  const { begin, agenda } = past;
  const random = past.random.of('sales');
  let number = 0;
  for (let hour = begin; hour < agenda.end; hour += HOUR_MS) {
    // People all over the world also shop in the evening.
    const share = (0.4 + hourShare('studio', hour, 0)) * dayShare('studio', hour, 0);
    const perHour = (salesOfDay(past, hour) / 24) * share * 1.25;
    for (let left = perHour; left > 0; left--)
      if (random.isTrue(Math.min(left, 1))) planPurchase(past, ++number, hour + random.between(0, HOUR_MS));
    if (random.isTrue((TRIALS_A_DAY / 24) * share * 1.25)) planTrial(past, ++number, hour + random.between(0, HOUR_MS));
  }
}

function salesOfDay({ begin, agenda }: Past, at: number): number {
  const share = (at - begin) / (agenda.end - begin);
  const usual = SALES_A_DAY[0] + share * (SALES_A_DAY[1] - SALES_A_DAY[0]);
  if (at < begin + OPENING.days * DAY_MS) return usual * OPENING.times;
  const isAfterNewsletter = NEWSLETTERS.some((sent) => {
    const sentAt = begin + sent * (agenda.end - begin);
    return at >= sentAt && at < sentAt + 2 * DAY_MS;
  });
  return isAfterNewsletter ? usual * NEWSLETTER_TIMES : usual;
}

function planPurchase(past: Past, number: number, at: number): void {
  const random = past.random.of(`customer ${number}`);
  const person = makePerson(random, number);
  const sold = PRODUCTS.filter((product) => isOnSale(past, product, at)).flatMap((product) =>
    product.variants.map((variant) => ({ product, variant })),
  );
  const { product, variant } = random.weighted(sold, (each) => each.variant.weight);
  const order = { purchaseId: `order-${10_000 + number}`, person, product, variant, lane: `customer ${number}` };
  past.agenda.plan(at, order.lane, () => buy(past, order, at, random));
}

function isOnSale(past: Past, { fate }: SoldProduct, at: number): boolean {
  return fate?.status !== 'archived' || at < momentAt(past, fate.share) - DAY_MS;
}

/** A purchase. */
interface Order {
  readonly purchaseId: string;
  readonly person: Person;
  readonly product: SoldProduct;
  readonly variant: SoldVariant;
  readonly lane: string;
}

/** A customer buys a license and installs the app. */
async function buy(past: Past, order: Order, at: number, random: Random): Promise<void> {
  const { purchaseId, person, product, variant, lane } = order;
  const paid = {
    email: person.email,
    productId: product.slug,
    variant: variant.name,
    purchaseId,
    currency: person.country.currency,
    amount: variant.price ?? 0,
  };
  const { licenseKey } = await past.calls.storefront('/storefrontWebhook', { ...paid, type: 'purchase.completed' });
  const license = addLicense(past, licenseKey ?? '', product, variant, person, lane, at);
  installApps(past, license, at, random);
  const report = (type: 'purchase.refunded' | 'purchase.disputed' | 'subscription.cancelled', when: number) =>
    past.agenda.plan(when, license.lane, async () => {
      await past.calls.storefront('/storefrontWebhook', { ...paid, type });
    });
  if (random.isTrue(REFUNDS)) return report('purchase.refunded', at + random.between(DAY_MS, 12 * DAY_MS));
  if (random.isTrue(CHARGEBACKS)) return report('purchase.disputed', at + random.between(5 * DAY_MS, 30 * DAY_MS));
  if (variant.durationDays !== 30) return;
  for (let month = 1; ; month++) {
    const due = at + month * 30 * DAY_MS - random.between(HOUR_MS, 12 * HOUR_MS);
    if (due > past.agenda.end) return;
    if (!random.isTrue(RENEWALS)) return report('subscription.cancelled', due - random.between(0, 10 * DAY_MS));
    past.agenda.plan(due, license.lane, async () => {
      await past.calls.storefront('/storefrontWebhook', { ...paid, type: 'subscription.renewed' });
    });
  }
}

/** Records an issued license. */
export function addLicense(
  past: Past,
  licenseKey: string,
  { slug: productId, creatorId, kind }: SoldProduct,
  { licenseType, maxMachines = 2, maxConcurrent, meters = {} }: SoldVariant,
  owner: Person,
  lane: string,
  soldAt: number,
): SoldLicense {
  const isFloating = licenseType === 'floating';
  const slots = isFloating ? (maxConcurrent ?? 1) : maxMachines;
  const [counted] = Object.entries(meters).map(([name, { limit }]) => ({ name, limit }));
  const sold = { licenseKey, productId, creatorId, kind, owner, lane, soldAt, slots, isFloating };
  const license = { ...sold, meter: counted ?? null, apps: [] };
  // Sales overlap, and their replies come in any order.
  const earlier = past.sold.findLastIndex((one) => one.soldAt < soldAt || (one.soldAt === soldAt && one.lane < lane));
  past.sold.splice(earlier + 1, 0, license);
  return license;
}

function installApps(past: Past, license: SoldLicense, at: number, random: Random): void {
  const { owner } = license;
  const first = soonAfter(at, random);
  install(past, license, makeMachine(random, owner), first);
  let machines = 1;
  if (machines < license.slots && random.isTrue(SECOND_MACHINES)) {
    install(past, license, makeMachine(random, owner), first + random.between(HOUR_MS, 20 * DAY_MS));
    machines += 1;
  }
  if (machines < license.slots || !random.isTrue(MACHINES_TOO_MANY)) return;
  const newComputer = first + random.between(DAY_MS, 60 * DAY_MS);
  askForAnotherSlot(past, license, makeMachine(random, owner), newComputer, random);
}

function planTrial(past: Past, number: number, at: number): void {
  const random = past.random.of(`customer ${number}`);
  const person = makePerson(random, number);
  const { code, productId, trialDays } = random.weighted(TRIAL_CODES, ({ weight }) => weight);
  const product = PRODUCTS.find(({ slug }) => slug === productId) as SoldProduct;
  const [variant] = product.variants as readonly [SoldVariant];
  const lane = `customer ${number}`;
  past.agenda.plan(at, lane, async () => {
    const redeemed = await past.calls.redeemTrialCode({ code: code.toLowerCase(), productId, email: person.email });
    if (redeemed === null) return;
    const license = addLicense(past, redeemed.licenseKey, product, variant, person, lane, at);
    install(past, license, makeMachine(random, person), soonAfter(at, random));
    if (!random.isTrue(CONVINCED)) return;
    const decided = at + (trialDays - random.between(0, 4)) * DAY_MS;
    const order = { purchaseId: `order-${10_000 + number}`, person, product, variant, lane: `${lane}, buyer` };
    past.agenda.plan(decided, order.lane, () => buy(past, order, decided, random.of('buyer')));
  });
}
