/** Organisations: floating licenses whose seats come and go, and site licenses for whole rooms of computers. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/ground/base/clock.ts';
import { App } from './app.ts';
import { ORGANISATIONS, type Organisation, PRODUCTS, type SoldProduct, type SoldVariant } from './catalogue.ts';
import { momentAt, type Past, type SoldLicense } from './past.ts';
import { COUNTRIES, type Country, makeFingerprint, type Person } from './people.ts';
import type { Random } from './random.ts';
import { dayShare, midnightBefore, momentOfDay } from './rhythm.ts';
import { addLicense } from './sales.ts';
import { install } from './use.ts';

/** Heartbeat interval of the apps in the history. */
export const BEAT_MS = 30 * MINUTE_MS;
/** Time without a heartbeat after which the service of the history ends a session. */
export const FLOATING_TIMEOUT = '45m';
/** Share of computers in use on a normal day. */
const IN_USE = 0.55;
/** Number of further attempts if no seat is free. */
const FURTHER_TRIES = 2;
/** Age of the live sessions at the end of the history. */
const LAST_SESSIONS_MS = [25 * MINUTE_MS, 170 * MINUTE_MS] as const;

/** Schedules the activity of organisations. */
export function planOrganisations(past: Past): void {
  for (const organisation of ORGANISATIONS) {
    const product = PRODUCTS.find(({ slug }) => slug === organisation.productId) as SoldProduct;
    const variant = product.variants.find(({ name }) => name === organisation.variant) as SoldVariant;
    const country = COUNTRIES.find(({ code }) => code === organisation.country) as Country;
    const owner = { firstName: organisation.name, email: organisation.email, country };
    const at = momentAt(past, organisation.share) + 2 * HOUR_MS;
    past.agenda.plan(at, organisation.email, () => join(past, organisation, { product, variant, owner }, at));
  }
}

interface Sold {
  readonly product: SoldProduct;
  readonly variant: SoldVariant;
  readonly owner: Person;
}

async function join(past: Past, organisation: Organisation, sold: Sold, at: number): Promise<void> {
  const { product, variant, owner } = sold;
  const { licenseKey } = await past.calls.storefront('/storefrontWebhook', {
    type: 'purchase.completed',
    email: owner.email,
    productId: product.slug,
    variant: variant.name,
    purchaseId: `invoice-${organisation.name.toLowerCase().replaceAll(/\W+/g, '-')}`,
    amount: variant.price ?? 0,
    currency: owner.country.currency,
  });
  const license = addLicense(past, licenseKey ?? '', product, variant, owner, organisation.email, at);
  const random = past.random.of(organisation.name);
  const { people = [] } = organisation;
  const domain = owner.email.slice(owner.email.indexOf('@'));
  const machines = Array.from({ length: organisation.machines }, (_, index) => ({
    fingerprint: makeFingerprint(random),
    hostname: `${organisation.hostname}-${String(index + 1).padStart(2, '0')}`,
    ...(people.length === 0 ? {} : { user: `${people[index % people.length]}${domain}` }),
  }));
  if (!license.isFloating) {
    // One room a day, because of the rate limit on activations per license and hour.
    for (const [index, machine] of machines.entries())
      install(past, license, machine, at + Math.floor(index / 10) * DAY_MS + random.between(HOUR_MS, 6 * HOUR_MS));
    return;
  }
  const apps = machines.map((machine) => new App(past.calls, license, machine, owner.country.code));
  license.apps.push(...apps);
  planDays(past, license, at, random);
  planLastSessions(past, license, random);
}

/** The sessions of each day, until shortly before the end. */
function planDays(past: Past, license: SoldLicense, from: number, random: Random): void {
  const { utcOffset } = license.owner.country;
  const last = past.agenda.end - LAST_SESSIONS_MS[1] - 8 * HOUR_MS;
  for (let midnight = midnightBefore(from, utcOffset) + DAY_MS; midnight < last; midnight += DAY_MS)
    for (const app of license.apps) {
      if (!random.isTrue(IN_USE * dayShare(license.kind, midnight + DAY_MS / 2, utcOffset))) continue;
      const begin = momentOfDay(license.kind, midnight, random);
      const length = random.between(0.6, 3.6) * HOUR_MS;
      if (begin < last) past.agenda.plan(begin, license.lane, (now) => work(past, license, app, now, now + length));
    }
}

/** Sessions that are live at the end of the history. With more computers than seats, some of them were refused. */
function planLastSessions(past: Past, license: SoldLicense, random: Random): void {
  const { end } = past.agenda;
  const wanted = random.some(license.apps, random.whole(Math.ceil(license.slots / 2), license.slots + 2));
  for (const [index, app] of wanted.entries()) {
    const isLate = index >= license.slots;
    const begin = end - (isLate ? random.between(11, 40) * MINUTE_MS : random.between(...LAST_SESSIONS_MS));
    past.agenda.plan(begin, license.lane, (now) => work(past, license, app, now, end + DAY_MS, isLate ? 0 : undefined));
  }
}

/**
 * A session: takes a seat, sends heartbeats until it is over, and then ends without a deactivation, like a computer
 * that is switched off.
 */
async function work(
  past: Past,
  license: SoldLicense,
  app: App,
  now: number,
  until: number,
  triesLeft = FURTHER_TRIES,
): Promise<void> {
  if ((await app.activate()) === null) return planBeat(past, license, app, now, until);
  if (triesLeft > 0)
    past.agenda.plan(now + BEAT_MS, license.lane, (later) => work(past, license, app, later, until, triesLeft - 1));
}

function planBeat(past: Past, license: SoldLicense, app: App, now: number, until: number): void {
  const next = now + BEAT_MS;
  app.isLive = next <= until;
  if (!app.isLive) return;
  past.agenda.plan(next, license.lane, async () => {
    if ((await app.heartbeat()) === null) planBeat(past, license, app, next, until);
    else app.isLive = false;
  });
}
