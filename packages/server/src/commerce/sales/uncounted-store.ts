/** SQL of the events that the figures of sales do not include yet (count-sales.ts). */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Event } from '../../platform/events/event.ts';
import { eventTable } from '../../platform/events/store.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';

const EVENT_FIELDS = ['eventId', 'type', 'occurredAt', 'before', 'after'] as const satisfies readonly (keyof Event)[];

// As the index has it. An import brings licenses that another service sold.
const IS_OUTSIDE = `e.event_id > '' and e.in_sales is null and e.actor <> 'command:import'
    and (e.type in ('license.created', 'license.renewed', 'license.revoked', 'license.reinstated')
      or e.type in ('license.noted', 'license.updated') and e.after_facts like '%"reason":"refund"%')`;

const list = statement(
  'event.list_outside_sales',
  `select ${eventTable.select('e', EVENT_FIELDS)}, e.license_key as "licenseKey", l.product_id as "productId",
      l.variant as "variant", l.email_folded as "email", l.created_at as "createdAt"
    from event e join license l on l.license_key = e.license_key
    where ${IS_OUTSIDE} order by e.event_id limit $1`,
);

const findFirst = statement(
  'event.find_outside_sales',
  `select e.occurred_at as "occurredAt" from event e where ${IS_OUTSIDE} order by e.event_id limit 1`,
);

const include = statement(
  'event.enter_sales',
  (dialect) => `update event set in_sales = 1 where event_id ${dialect.among('$1')}`,
);

/** Codes of a buyer that are looked at: a person redeems a handful. */
const CODES_OF_BUYER = 100;

// A trial code was redeemed by the buyer, and no purchase between the two counts as its success.
const findTrial = statement(
  'redemption.find_trial_of_buyer',
  `select t.variant as "variant"
    from (select c.license_key, c.email_folded, c.redeemed_at from redemption c
        where c.email_folded = $1 order by c.code_folded limit ${CODES_OF_BUYER}) r
      join license t on t.license_key = r.license_key
    where r.redeemed_at >= $3 and r.redeemed_at <= $4 and t.product_id = $2 and t.purchase_id is null
      and (select 1 from license p
        where p.email_folded = r.email_folded and p.product_id = t.product_id
          and (p.created_at, p.license_key) < ($4, $5) and p.created_at >= r.redeemed_at
          and p.purchase_id is not null and p.replaces is null
        limit 1) is null
    order by r.redeemed_at desc, t.license_key limit 1`,
);

/** An event, and its license as it is now. */
export interface UncountedEvent extends Pick<Event, (typeof EVENT_FIELDS)[number]> {
  readonly licenseKey: string;
  readonly productId: string;
  readonly variant: string;
  /** The buyer's address, case-folded. */
  readonly email: string;
  readonly createdAt: string;
}

/** The oldest events that the figures do not include, at most `most`. */
export async function listUncountedEvents(tx: Tx, most: number): Promise<readonly UncountedEvent[]> {
  return (await tx.all<StoredRow>(list, most)).map((row) => eventTable.restore(row) as unknown as UncountedEvent);
}

/** The moment before which the figures include every event, as a timestamp: `now`, or that of the oldest other one. */
export async function findCompleteTo(sql: Sql, now: number): Promise<string> {
  const first = await sql.first<{ readonly occurredAt: string }>(findFirst);
  const present = toTimestamp(now);
  return first === undefined || first.occurredAt > present ? present : first.occurredAt;
}

/** Marks events as included. */
export async function includeEvents(tx: Tx, eventIds: readonly string[]): Promise<void> {
  await tx.run(include, listOf(eventIds));
}

/**
 * The variant of the trial that a purchase is the success of; undefined without one. The buyer redeemed a trial code of
 * the product since a moment, and the purchase is the first one after it.
 */
export async function findTrialOfBuyer(
  tx: Tx,
  { email, productId, createdAt, licenseKey }: UncountedEvent,
  since: string,
): Promise<string | undefined> {
  const found = await tx.first<Pick<UncountedEvent, 'variant'>>(
    findTrial,
    email,
    productId,
    since,
    createdAt,
    licenseKey,
  );
  return found?.variant;
}
