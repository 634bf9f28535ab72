/**
 * The history of the licenses of the catalogue: events, kept refusals, violations and statistics, in the mix of a
 * typical store. Each row is computed from its number, like the licenses themselves.
 */
import { DAY_MS, HOUR_MS, toTimestamp } from '@latchkey/server/ground/base/clock.ts';
import { COUNTED_METRICS } from '@latchkey/server/insight/statistics/counted-metrics.ts';
import type { License } from '@latchkey/server/licensing/licenses/license.ts';
import type { KeptRefusal } from '@latchkey/server/licensing/observed-calls/kept-refusal.ts';
import { ALL_PRODUCTS, type Statistic } from '@latchkey/server/licensing/observed-calls/statistic-table.ts';
import type { Violation } from '@latchkey/server/licensing/violations/violation.ts';
import { type Event, eventIdBound } from '@latchkey/server/platform/events/event.ts';
import { type Catalogue, LICENSED_PRODUCTS } from './catalogue.ts';
import { creatorOf } from './shop.ts';

/** A typical number of events within the retention time, mostly from machines that come and go. */
export const EVENTS_PER_LICENSE = 20;
/** Within the 400 days of the service's retention, so that it deletes no events during a measurement. */
const EVENT_DAYS = 390;
/** Of every twenty events of a license, these come from people; all others come from machines that come and go. */
const CHANGES_BY_PEOPLE = new Map<number, Pick<Event, 'type' | 'actor' | 'actorName'>>([
  [3, { type: 'license.updated', actor: 'operator', actorName: null }],
  [8, { type: 'license.noted', actor: 'operator', actorName: null }],
  [13, { type: 'license.renewed', actor: 'storefront', actorName: null }],
]);
/** One license in this many has recent refusals; LICENSES_PER_VIOLATION is the same ratio for violations. */
const LICENSES_PER_REFUSED = 10;
const REFUSALS_OF_REFUSED = 3;
const LICENSES_PER_VIOLATION = 50;
/** One violation in this many is open. */
const VIOLATIONS_PER_OPEN = 3;
const REFUSAL_DAYS = 80;
const STATISTIC_DAYS = 90;
const STATISTIC_HOURS = 14 * 24;
const SEEDED_METRICS = [
  ...COUNTED_METRICS.slice(0, 6),
  ...['activations', 'machines'].flatMap((what) => ['AT', 'DE', 'FR', 'IT'].map((country) => `${what}.${country}`)),
];

/** Computes the rows of the history from their numbers. */
export class History {
  readonly #catalogue: Catalogue;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  get events(): number {
    return this.#catalogue.size * EVENTS_PER_LICENSE;
  }

  get refusals(): number {
    return Math.floor(this.#catalogue.size / LICENSES_PER_REFUSED) * REFUSALS_OF_REFUSED;
  }

  get violations(): number {
    return Math.floor(this.#catalogue.size / LICENSES_PER_VIOLATION);
  }

  get statistics(): number {
    return (LICENSED_PRODUCTS + 1) * SEEDED_METRICS.length * (STATISTIC_DAYS + STATISTIC_HOURS);
  }

  /** A license of the catalogue with the effects of its history. */
  license(number: number): License {
    const license = this.#catalogue.license(number);
    const { threatLevel } = number % LICENSES_PER_VIOLATION === 0 ? { threatLevel: this.#severity(number) } : license;
    return {
      ...license,
      threatLevel,
      eventCount: EVENTS_PER_LICENSE,
      lastEventId: this.#eventId(number + (EVENTS_PER_LICENSE - 1) * this.#catalogue.size),
    };
  }

  /**
   * An event by its number from 0, the oldest first: the first event of every license, then the second of every
   * license.
   */
  event(number: number): Event {
    const { size } = this.#catalogue;
    const round = Math.floor(number / size);
    const { licenseKey, productId } = this.#catalogue.license(number % size);
    const isBound = round % 2 === 0;
    const machine = { fingerprint: `${licenseKey} ${round}`, hostname: `host-${round}`, country: null };
    const byPeople = CHANGES_BY_PEOPLE.get(round);
    return {
      type: isBound ? 'activation.created' : 'activation.deleted',
      actor: 'client',
      actorName: null,
      ...byPeople,
      eventId: this.#eventId(number),
      licenseKey,
      licenseNumber: round + 1,
      previousEventId: round === 0 ? null : this.#eventId(number - size),
      productId,
      creatorId: creatorOf(Number(productId.replace('product-', ''))),
      subject: byPeople === undefined ? machine.fingerprint : null,
      before: byPeople === undefined && !isBound ? machine : null,
      after: byPeople !== undefined ? { text: 'as the customer asked' } : isBound ? machine : null,
      requestId: this.requestId(number),
      occurredAt: toTimestamp(this.#moment(number)),
    };
  }

  /** The id of the request that caused an event. It rises with the number, like real request ids. */
  requestId(number: number): string {
    return `r${String(number).padStart(13, '0')}`;
  }

  /** A refusal with the product of its license, ordered by license. */
  refusal(number: number): KeptRefusal & { readonly productId: string } {
    const { filledAt } = this.#catalogue;
    const license = this.#catalogue.license(Math.floor(number / REFUSALS_OF_REFUSED) * LICENSES_PER_REFUSED);
    const place = number % REFUSALS_OF_REFUSED;
    const moment = filledAt - Math.ceil((1 - (number + 1) / (this.refusals + 1)) * REFUSAL_DAYS * DAY_MS);
    const at = toTimestamp(moment + place);
    return {
      licenseKey: license.licenseKey,
      refusalId: `${eventIdBound(moment + place).replace('evt_', '')}-7000-8000-${digits(number)}`,
      code: place === 0 ? 'machine_limit' : place === 1 ? 'license_expired' : 'wrong_product',
      endpoint: '/activate',
      fingerprint: `refused ${number}`,
      hostname: `refused-${number}`,
      count: 1 + (number % 7),
      firstAt: at,
      lastAt: at,
      details: place === 0 ? { limit: 2 } : null,
      requestId: `f${String(number).padStart(13, '0')}`,
      productId: license.productId,
    };
  }

  /** A violation; most were resolved a day after they were seen. */
  violation(number: number): Violation {
    const licenseNumber = number * LICENSES_PER_VIOLATION;
    const { licenseKey } = this.#catalogue.license(licenseNumber);
    const seen = this.#catalogue.filledAt - Math.ceil((1 - (number + 1) / (this.violations + 1)) * EVENT_DAYS * DAY_MS);
    return {
      licenseKey,
      violationId: digits(number),
      type: number % 2 === 0 ? 'fraud' : 'refund',
      severity: this.#severity(licenseNumber),
      occurrences: 1,
      firstSeen: toTimestamp(seen),
      lastSeen: toTimestamp(seen),
      evidence: {},
      resolvedAt: number % VIOLATIONS_PER_OPEN === 0 ? null : toTimestamp(seen + DAY_MS),
    };
  }

  /** A count of a metric: by day for three months and by hour for two weeks, per licensed product and in total. */
  statistic(number: number): Statistic {
    const steps = STATISTIC_DAYS + STATISTIC_HOURS;
    const place = number % steps;
    const metric = SEEDED_METRICS[Math.floor(number / steps) % SEEDED_METRICS.length]!;
    const product = Math.floor(number / steps / SEEDED_METRICS.length);
    const isDay = place < STATISTIC_DAYS;
    const length = isDay ? DAY_MS : HOUR_MS;
    const ago = isDay ? STATISTIC_DAYS - 1 - place : steps - 1 - place;
    return {
      productId: product === LICENSED_PRODUCTS ? ALL_PRODUCTS : `product-${product}`,
      step: isDay ? 'day' : 'hour',
      metric,
      at: toTimestamp((Math.floor(this.#catalogue.filledAt / length) - ago) * length),
      value: 1 + (number % 1000),
    };
  }

  #severity(licenseNumber: number): number {
    return 1 + ((licenseNumber / LICENSES_PER_VIOLATION) % 4);
  }

  #moment(eventNumber: number): number {
    return this.#catalogue.filledAt - Math.ceil((1 - eventNumber / this.events) * EVENT_DAYS * DAY_MS);
  }

  #eventId(eventNumber: number): string {
    return `${eventIdBound(this.#moment(eventNumber))}-7000-8000-${digits(eventNumber)}`;
  }
}

/** A number as the last twelve digits of a UUID. */
function digits(number: number): string {
  return number.toString(16).padStart(12, '0');
}
