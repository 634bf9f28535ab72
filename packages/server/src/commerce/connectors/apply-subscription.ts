/** Moves the ends of licenses, and changes their plans, as payments and states of subscriptions say (rules 15.5). */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import { endsSessions, termsOfVariant } from '../../licensing/licenses/variant-change.ts';
import { endedAt } from '../../licensing/licenses/waiting.ts';
import type { Variant } from '../../licensing/products/variant.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import type { StorefrontEvent } from '../storefront/event.ts';
import { changeSold, EVERYBODY } from '../storefront/sale.ts';
import { type Application, claim, policyFor, productOf, soldOf, storefrontEvent, variantOf } from './application.ts';
import { noteMail } from './buyer-mails.ts';
import type { Connector } from './connector.ts';
import { scaledLimit } from './sale-policy.ts';
import { isNewer, type Paid, rankOf, type SubscriptionFact } from './sources/facts.ts';
import type { Subject, Unit } from './subject.ts';
import { addReferences, findSubjectOf, listUnits, saveSubject, saveUnit } from './subject-store.ts';
import { decideEnd, decidePlan, limitAfterChange, owedEnd } from './subscription-policy.ts';

/** A payment of a subscription after the first: only payments move ends forward. */
export async function applyPaid(application: Application, paid: Paid): Promise<void> {
  const { tx, connector, result } = application;
  const reference = { kind: 'subscription', id: paid.subscription } as const;
  const known = await findSubjectOf(tx, connector.connectorId, [reference]);
  if (known === undefined) return void result.awaited.push(reference);
  const { subject } = known;
  result.subjectId ??= subject.subjectId;
  for (const eventId of await addReferences(tx, subject, paid.references, true)) result.due.add(eventId);
  if (!(await claim(application, `paid:${paid.subscription}:${paid.periodEnd}`))) return;
  const isLater = subject.paid === null || paid.periodEnd > subject.paid.end || subject.paid.isTrial;
  const after = isLater ? { ...subject, paid: { end: paid.periodEnd, isTrial: false } } : subject;
  await saveSubject(tx, after);
  await moveEnds(application, after, 'subscription.renewed');
}

/** The state of a subscription, and its products. */
export async function applySubscription(application: Application, fact: SubscriptionFact): Promise<void> {
  const { tx, connector, result } = application;
  const reference = { kind: 'subscription', id: fact.subscription } as const;
  const known = await findSubjectOf(tx, connector.connectorId, [reference]);
  if (known === undefined) return void result.awaited.push(reference);
  const { subject } = known;
  result.subjectId ??= subject.subjectId;
  const told = { asOf: fact.asOf, rank: rankOf(fact.state) };
  const { status } = subject;
  if (!isNewer(told, status === null ? null : { asOf: status.asOf, rank: rankOf(status.state) })) return;
  const { state, until, asOf } = fact;
  const after: Subject = { ...subject, customer: subject.customer ?? fact.customer, status: { state, until, asOf } };
  await saveSubject(tx, after);
  if (status?.state !== state) result.isNew = true;
  await noteRecurringUnits(application, after, fact);
  await changePlans(application, after, fact);
  await moveEnds(application, after, eventTypeOf(fact));
  if (state === 'pastDue' && status?.state !== state) await noteFailedPayment(application, after);
}

/**
 * Marks the units of products that a subscription has. WooCommerce's orders do not say which of their lines belong to a
 * subscription, so such a license has no end until its subscription is told.
 */
async function noteRecurringUnits(
  application: Application,
  subject: Subject,
  { lines }: SubscriptionFact,
): Promise<void> {
  const products = lines.map(({ names }) => productOf(application, names));
  for (const unit of await listUnits(application.tx, subject)) {
    const isOfProduct = products.some(
      (mapped) =>
        mapped !== undefined && mapped !== 'ignore' && mapped.kind !== 'once' && mapped.productId === unit.productId,
    );
    if (isOfProduct && !unit.isRecurring) await saveUnit(application.tx, { ...unit, isRecurring: true });
  }
}

/** Tells the buyer of a payment that failed, with the end that the license has now. */
async function noteFailedPayment(application: Application, subject: Subject): Promise<void> {
  const unit = (await listUnits(application.tx, subject)).find(({ isRecurring }) => isRecurring);
  const license = unit && (await findLicense(application.tx, unit.licenseKey, EVERYBODY));
  if (license === undefined) return;
  const { licenseKey, expiresAt } = license;
  noteMail(application, subject, { kind: 'payment_failed', sale: { licenseKey }, expiresAt });
}

function eventTypeOf({ state }: SubscriptionFact): StorefrontEvent['type'] {
  if (state === 'pastDue') return 'subscription.payment_failed';
  return state === 'ended' ? 'subscription.cancelled' : 'subscription.updated';
}

/** The facts that move the ends of licenses. */
type Mover = Pick<Application, 'tx' | 'origin' | 'result' | 'connector'>;

/** Moves the licenses of a subscription to the end that is owed; one that somebody gave more asks for a decision. */
async function moveEnds(mover: Mover, subject: Subject, type: StorefrontEvent['type']): Promise<void> {
  for (const unit of await listUnits(mover.tx, subject))
    if (unit.isRecurring && (await moveEnd(mover, subject, unit, { type, isOurs: false })) === 'kept')
      mover.result.needsDecision('end_kept');
}

/** Gives the licenses of a subscription the end that is owed, even if a person gave them the present one. */
export async function setOwedEnds(
  parts: Pick<Application, 'tx' | 'origin' | 'result'>,
  subject: Subject,
  connector: Connector,
): Promise<void> {
  for (const unit of await listUnits(parts.tx, subject))
    if (unit.isRecurring)
      await moveEnd({ ...parts, connector }, subject, unit, { type: 'subscription.updated', isOurs: true });
}

/** @param options.isOurs whether the present end may be shortened in any case */
async function moveEnd(
  { tx, origin, result, connector }: Mover,
  subject: Subject,
  unit: Unit,
  { type, isOurs }: { readonly type: StorefrontEvent['type']; readonly isOurs: boolean },
): Promise<'set' | 'same' | 'kept'> {
  const license = await findLicense(tx, unit.licenseKey, EVERYBODY);
  if (license === undefined) return 'same';
  const variant = await variantOf(tx, { productId: license.productId, variant: license.variant });
  const policy = policyFor({ connector }, variant, fromTimestamp(unit.issuedAt));
  const owed = owedEnd({ paid: subject.paid, newest: subject.status }, policy);
  const present = license.expiresAt === null ? null : fromTimestamp(license.expiresAt);
  // A license that was there before the sale may have no end by somebody else's decision.
  const isNew = license.createdAt === unit.issuedAt;
  const isSet = license.expiresAt === unit.setExpiresAt && (license.expiresAt !== null || isNew);
  const decision = decideEnd({ expiresAt: present, graceDays: license.graceDays, isOurs: isOurs || isSet }, owed);
  if (decision.outcome !== 'set') return decision.outcome;
  const end = { expiresAt: toTimestamp(decision.end.expiresAt), graceDays: decision.end.graceDays };
  const isLonger = present !== null && decision.end.expiresAt > present;
  const event = storefrontEvent(type, subject, license, isLonger ? { expiresAt: end.expiresAt } : {});
  const changed = await changeSold(tx, event, origin, { sold: soldOf(license) }, (before) => ({
    type: isLonger ? 'license.renewed' : 'license.updated',
    update: { ...end, ...endedAt(before, end.expiresAt, origin.now) },
  }));
  if (isRefusal(changed)) return 'same';
  await saveUnit(tx, { ...unit, setExpiresAt: end.expiresAt });
  const isShorter = present === null ? !isSet : decision.end.expiresAt < present;
  result.did(unit.licenseKey, isLonger ? 'renewed' : isShorter ? 'shortened' : 'changed');
  return 'set';
}

/** Gives the licenses of a subscription the plan that is subscribed to now; their keys stay. */
async function changePlans(application: Application, subject: Subject, { lines }: SubscriptionFact): Promise<void> {
  const { tx, result } = application;
  const units = (await listUnits(tx, subject)).filter(({ isRecurring }) => isRecurring);
  for (const line of lines) {
    const unit = units.find((each) => each.line === line.line) ?? (units.length === 1 ? units[0] : undefined);
    if (unit === undefined) continue;
    const decision = decidePlan(unit, line.quantity, productOf(application, line.names));
    if (decision.outcome === 'attention') result.needsDecision(decision.reason);
    if (decision.outcome !== 'change') continue;
    const { variant, factor } = decision;
    if (await changePlan(application, subject, unit, { variant, factor })) {
      await saveUnit(tx, { ...unit, variant, factor });
      result.did(unit.licenseKey, 'changed');
    }
  }
}

/** Gives a license the terms of a plan; a limit that somebody changed on the license stays. */
export async function changePlan(
  { tx, origin }: Application,
  subject: Subject,
  unit: Unit,
  next: Pick<Unit, 'variant' | 'factor'>,
): Promise<boolean> {
  const license = await findLicense(tx, unit.licenseKey, EVERYBODY);
  if (license === undefined) return false;
  const { productId } = unit;
  const old = await variantOf(tx, unit);
  const variant = await variantOf(tx, { productId, variant: next.variant });
  if (variant === undefined) return false;
  const more = { variant: variant.name, quantity: next.factor };
  const event = storefrontEvent('subscription.updated', subject, license, more);
  const changed = await changeSold(tx, event, origin, { sold: soldOf(license) }, (before) => {
    const terms = termsOfPlan(before, { old, variant, factor: unit.factor, nextFactor: next.factor }, origin.now);
    const isEnded = endsSessions(before, terms);
    return {
      type: 'license.updated',
      update: { ...terms, sessionsHeld: isEnded ? 0 : before.sessionsHeld },
      ...(isEnded ? { machines: 'end all sessions' as const } : {}),
    };
  });
  return !isRefusal(changed);
}

function termsOfPlan(
  before: License,
  {
    old,
    variant,
    factor,
    nextFactor,
  }: {
    readonly old: Variant | undefined;
    readonly variant: Variant;
    readonly factor: number;
    readonly nextFactor: number;
  },
  now: number,
) {
  const terms = termsOfVariant(before, variant, now, nextFactor);
  // The end and its grace follow the payments.
  const kept = { ...terms, graceDays: before.graceDays };
  if (old === undefined) return kept;
  const { maxConcurrent } = kept;
  return {
    ...kept,
    maxMachines: limitAfterChange(before.maxMachines, scaledLimit(old.maxMachines, factor), terms.maxMachines),
    maxConcurrent:
      maxConcurrent === null || before.maxConcurrent === null || old.maxConcurrent === null
        ? maxConcurrent
        : limitAfterChange(before.maxConcurrent, scaledLimit(old.maxConcurrent, factor), maxConcurrent),
  };
}
