/**
 * Applies events of shops: translates an event, carries out its facts, and stores its outcome, in one transaction
 * (rules 15.3). The lock of the connector orders the events of a seller; the event's state decides whether it is
 * applied.
 */

import { isPseudonym } from '../../licensing/licenses/pseudonym.ts';
import { listVariantsById } from '../../licensing/products/variant-store.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { type Application, ApplicationResult } from './application.ts';
import { applyDisputed, applyRefunded, applyRefundUndone } from './apply-money.ts';
import { applyCustomer, applyLinked, applyTheirKey } from './apply-others.ts';
import { applySold } from './apply-sale.ts';
import { applyPaid, applySubscription } from './apply-subscription.ts';
import { queueMails } from './buyer-mails.ts';
import type { Connector } from './connector.ts';
import { findConnector, lockConnector, mappingsOf } from './connector-store.ts';
import { emptyBodies, findShopEvent, lockShopEvent, makeEventsDue, saveShopEvent } from './event-store.ts';
import { heldUntil, isFinal, isWaiting, nextAttemptAt } from './inbox-state.ts';
import { type CatalogueVariant, isMapped, type Mapping } from './mapping.ts';
import { isOfMode } from './settings.ts';
import { publishOutcome } from './settled-events.ts';
import { type EventReason, lookUpKey, type ShopEvent, type WholeShopEvent } from './shop-event.ts';
import type { Fact } from './sources/facts.ts';
import type { LookUp, Translation } from './sources/source.ts';
import { sourceNamed } from './sources/source-list.ts';
import { findShopCustomer, findSubject, stopWaiting, waitFor } from './subject-store.ts';

const EVERYBODY = { creatorId: null };
/** Variants with one variantId that are looked at; several are ambiguous. */
const MAX_ALIKE = 2;

/** The time, the request and the parts of an application. */
export interface ApplyContext {
  readonly now: number;
  readonly requestId: string | null;
  readonly ruleContext: RuleContext;
}

/** The outcome of an event, and the other events that can go on now. */
export interface Applied {
  readonly event: WholeShopEvent;
  readonly facts: readonly Fact[];
  readonly result: ApplicationResult;
  readonly due: readonly string[];
}

/**
 * Applies an event that waits; null if another node or an earlier attempt has done it.
 *
 * @param isPreview applies it in any state of the event and the connector; the caller rolls back
 */
export async function applyShopEvent(
  tx: Tx,
  eventId: string,
  context: ApplyContext,
  {
    decision = null,
    isPreview = false,
  }: { readonly decision?: Application['decision']; readonly isPreview?: boolean } = {},
): Promise<Applied | null> {
  const seen = await findShopEvent(tx, eventId, EVERYBODY);
  const connector = seen && (await lockConnector(tx, seen.connectorId, EVERYBODY));
  if (connector === undefined) return null;
  const event = await lockShopEvent(tx, eventId, EVERYBODY);
  if (event === undefined || !(isPreview || decision !== null || isWaiting(event.state))) return null;
  return applyLocked(tx, connector, event, context, { decision, isPreview });
}

/** Applies an event under the lock of its connector. */
export async function applyLocked(
  tx: Tx,
  connector: Connector,
  event: WholeShopEvent,
  { now, requestId, ruleContext }: ApplyContext,
  { decision, isPreview }: { readonly decision: Application['decision']; readonly isPreview: boolean },
): Promise<Applied> {
  const result = new ApplicationResult();
  const none = { facts: [], result, due: [] };
  const settle = async (state: ShopEvent['state'], more: Partial<ShopEvent> = {}): Promise<WholeShopEvent> => {
    const settled = {
      ...event,
      state,
      reason: null,
      detail: null,
      dueAt: null,
      lookUpAt: null,
      dueSince: null,
      ...more,
    };
    await saveShopEvent(tx, settled, now);
    publishOutcome(
      tx,
      connector,
      settled,
      result.licenses.map(({ licenseKey }) => licenseKey),
    );
    return settled;
  };
  if (connector.state !== 'on' && !isPreview) return { ...none, event: await settle('watched') };
  if (!isOfMode(event.isTest, connector.mode))
    return { ...none, event: await settle('ignored', { reason: 'other_mode' }) };

  const mappings = await mappingsOf(tx, connector.connectorId);
  const { translation, variants } = await translated(tx, connector, event, mappings);
  if ('unknownShape' in translation)
    return {
      ...none,
      event: await settle('attention', { reason: 'unknown_shape', detail: translation.unknownShape }),
    };
  const needs = await openNeeds(tx, connector, translation.needs);
  if (needs.length > 0 && connector.apiKey !== null) {
    // An event of the seller may tell it sooner.
    await waitFor(tx, connector.connectorId, event.eventId, customersOf(needs));
    return { ...none, event: await settle('looking up', { lookUpAt: now, dueSince: event.dueSince ?? now }) };
  }
  if (needs.some(({ what }) => what !== 'customer'))
    return {
      ...none,
      event: await settle('attention', { reason: 'lookup_denied', detail: 'The connector has no sellerApiKey' }),
    };

  const origin = { actor: { kind: 'storefront', name: connector.name }, requestId, now } as const;
  const parts = { tx, origin, settings: ruleContext.settings, connector, mappings, event, variants, decision, result };
  for (const fact of translation.facts) await carryOut(parts, fact);
  await queueMails(parts, ruleContext);
  await stopWaiting(tx, event.eventId);
  await waitFor(tx, connector.connectorId, event.eventId, result.awaited);
  const due = [...result.due].filter((each) => each !== event.eventId);
  await makeEventsDue(tx, due, now);
  const { subjectId } = result;
  const outcome = [...event.outcome, ...result.licenses].slice(-MAX_OUTCOME);
  const after = await settle(...stateAfter(event, result, { subjectId: subjectId ?? event.subjectId, outcome }, now));
  if (isFinal(after.state) && (await isOfForgotten(tx, connector, after, result)))
    await emptyBodies(tx, [event.eventId]);
  return { event: after, facts: translation.facts, result, due };
}

/** Whether an event tells the address of a customer again who was forgotten. */
async function isOfForgotten(
  tx: Sql,
  { connectorId }: Connector,
  { subjectId }: ShopEvent,
  { isOfForgotten: ofCustomer }: ApplicationResult,
): Promise<boolean> {
  if (ofCustomer || subjectId === null) return ofCustomer;
  const email = (await findSubject(tx, connectorId, subjectId))?.email ?? null;
  return email !== null && isPseudonym(email);
}

/** Licenses that an event shows: an order of a thousand units has as many. */
const MAX_OUTCOME = 1000;

function stateAfter(
  { receivedAt, dueSince }: ShopEvent,
  result: ApplicationResult,
  more: Partial<ShopEvent>,
  now: number,
): [ShopEvent['state'], Partial<ShopEvent>] {
  if (result.attention !== null) return ['attention', { ...more, reason: result.attention }];
  if (result.awaited.length > 0) {
    const until = heldUntil(Date.parse(receivedAt));
    if (now >= until) return ['attention', { ...more, reason: 'held_too_long' }];
    return ['held', { ...more, dueAt: until, dueSince: dueSince ?? now }];
  }
  if (result.isNew) return ['applied', more];
  const reason: EventReason | null = result.ignored;
  return reason === null ? ['nothing new', more] : ['ignored', { ...more, reason }];
}

/** Translates an event with the catalogue's variants that it names. */
export async function translated(
  tx: Sql,
  { source, creatorId }: Connector,
  event: WholeShopEvent,
  mappings: readonly Mapping[],
): Promise<{ readonly translation: Translation; readonly variants: ReadonlyMap<string, CatalogueVariant> }> {
  const delivered = { ...event, at: event.sourceAt === null ? null : Date.parse(event.sourceAt) };
  const variants = new Map<string, CatalogueVariant>();
  const asked = new Set<string>();
  for (;;) {
    const unknown = new Set<string>();
    const translation = sourceNamed(source).facts(delivered, {
      isMapped(name) {
        if (name.by === 'latchkey_variant' && !asked.has(name.id)) unknown.add(name.id);
        return isMapped(name, mappings, (variantId) => variants.get(variantId));
      },
      lookedUp: (lookUp) => event.lookedUp[lookUpKey(lookUp)],
    });
    for (const variantId of variantIdsOf(translation)) if (!asked.has(variantId)) unknown.add(variantId);
    if (unknown.size === 0) return { translation, variants };
    for (const variantId of unknown) {
      asked.add(variantId);
      const [variant, ...others] = await listVariantsById(tx, variantId, { creatorId }, MAX_ALIKE);
      if (variant !== undefined && others.length === 0)
        variants.set(variantId, { productId: variant.productId, variant: variant.name });
    }
  }
}

/** The variantIds that the lines of facts name. */
function variantIdsOf(translation: Translation): readonly string[] {
  if ('unknownShape' in translation) return [];
  const lines = translation.facts.flatMap((fact) =>
    fact.fact === 'sold' || fact.fact === 'subscription' ? fact.lines : [],
  );
  return lines.flatMap(({ names }) => names.flatMap(({ by, id }) => (by === 'latchkey_variant' ? [id] : [])));
}

/** The customers that look-ups ask for. */
function customersOf(needs: readonly LookUp[]) {
  return needs.flatMap(({ what, id }) => (what === 'customer' ? [{ kind: what, id } as const] : []));
}

/** The look-ups without which there are no facts; a known address of a customer meets a need for that customer. */
export async function openNeeds(
  tx: Sql,
  { connectorId }: Connector,
  needs: readonly LookUp[],
): Promise<readonly LookUp[]> {
  const open: LookUp[] = [];
  for (const need of needs) {
    const known = need.what === 'customer' ? await findShopCustomer(tx, connectorId, need.id) : undefined;
    if (known?.email == null) open.push(need);
  }
  return open;
}

async function carryOut(application: Application, fact: Fact): Promise<void> {
  switch (fact.fact) {
    case 'sold':
      return applySold(application, fact);
    case 'paid':
      return applyPaid(application, fact);
    case 'refunded':
      return applyRefunded(application, fact);
    case 'refundUndone':
      return applyRefundUndone(application, fact);
    case 'disputed':
      return applyDisputed(application, fact);
    case 'subscription':
      return applySubscription(application, fact);
    case 'customer':
      return applyCustomer(application, fact);
    case 'linked':
      return applyLinked(application, fact);
    case 'theirKey':
      return applyTheirKey(application, fact);
    case 'ignored':
      application.result.ignored ??= fact.because;
  }
}

/** Notes an application that failed: it is tried again, and after three days a person decides. */
export async function noteFailedApplication(tx: Tx, eventId: string, failure: string, now: number): Promise<void> {
  const event = await lockShopEvent(tx, eventId, EVERYBODY);
  if (event === undefined || !isWaiting(event.state)) return;
  const attempts = event.attempts + 1;
  const since = event.dueSince ?? Date.parse(event.receivedAt);
  const next = nextAttemptAt(attempts, since, now);
  const detail = failure.slice(0, MAX_DETAIL);
  if (next === null) {
    const undecided = { ...event, state: 'attention', reason: 'not_applied', detail, attempts, dueAt: null } as const;
    await saveShopEvent(tx, undecided, now);
    const connector = await findConnector(tx, event.connectorId, EVERYBODY);
    if (connector !== undefined) publishOutcome(tx, connector, undecided);
  } else await saveShopEvent(tx, { ...event, detail, attempts, dueAt: next, dueSince: since }, now);
}
const MAX_DETAIL = 300;
