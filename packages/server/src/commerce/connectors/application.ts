/** One application of an event: its input, and its outcome so far. */
import { DEFAULT_VARIANT } from '../../licensing/licenses/issue.ts';
import type { License } from '../../licensing/licenses/license.ts';
import type { Variant } from '../../licensing/products/variant.ts';
import { findVariant } from '../../licensing/products/variant-store.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from '../storefront/event.ts';
import type { Sold } from '../storefront/sale.ts';
import type { AttentionReason } from './attention.ts';
import type { BuyerMail } from './buyer-mails.ts';
import type { Connector } from './connector.ts';
import { type CatalogueVariant, type MappedProduct, type Mapping, mappedTo } from './mapping.ts';
import type { SalePolicy } from './sale-policy.ts';
import type { Deed, EventLicense, IGNORED_HERE, WholeShopEvent } from './shop-event.ts';
import type { IgnoredBecause, ProductName } from './sources/facts.ts';
import type { Subject } from './subject.ts';
import { type Awaited, claimFact, findFact } from './subject-store.ts';

export interface Application {
  readonly tx: Tx;
  readonly origin: Origin;
  readonly settings: Settings;
  readonly connector: Connector;
  readonly mappings: readonly Mapping[];
  readonly event: WholeShopEvent;
  /** The variants that `latchkey_variant` names. */
  readonly variants: ReadonlyMap<string, CatalogueVariant>;
  /** A person decided that this happens in spite of the rule that keeps it back. */
  readonly decision: 'issue' | 'issue_one' | 'issue_own_key' | null;
  readonly result: ApplicationResult;
}

/** The outcome of an application. */
export class ApplicationResult {
  readonly licenses: EventLicense[] = [];
  readonly mails: BuyerMail[] = [];
  readonly awaited: Awaited[] = [];
  /** Held events that can go on. */
  readonly due = new Set<string>();
  attention: AttentionReason | null = null;
  ignored: IgnoredBecause | keyof typeof IGNORED_HERE | null = null;
  subjectId: string | null = null;
  /** The event is about a customer who was forgotten, so its body must not be kept. */
  isOfForgotten = false;
  /** Whether anything was stored that was not known. */
  isNew = false;

  /** Notes a change of a license. */
  did(licenseKey: string, did: Deed): void {
    this.isNew = true;
    if (!this.licenses.some((each) => each.licenseKey === licenseKey && each.did === did))
      this.licenses.push({ licenseKey, did });
  }

  /** Asks for a person's decision; the first reason counts. */
  needsDecision(reason: AttentionReason): void {
    this.attention ??= reason;
  }
}

/** Claims a fact: true if this event is the first that tells it. */
export async function claim({ tx, connector, event, result }: Application, key: string): Promise<boolean> {
  const isFirst = await claimFact(tx, connector.connectorId, key, event.eventId);
  if (isFirst) result.isNew = true;
  return isFirst;
}

/** Whether this event told a fact first: a person decides about it, however often the event is applied. */
export async function isTeller({ tx, connector, event }: Application, key: string): Promise<boolean> {
  return (await findFact(tx, connector.connectorId, key)) === event.eventId;
}

/** The product that the names of a line stand for. */
export function productOf(
  { mappings, variants }: Pick<Application, 'mappings' | 'variants'>,
  names: readonly ProductName[],
): MappedProduct | 'ignore' | undefined {
  return mappedTo(names, mappings, (variantId) => variants.get(variantId));
}

/** The variant of the catalogue that a mapping leads to; undefined if the catalogue lacks it. */
export function variantOf(
  sql: Sql,
  { productId, variant }: { readonly productId: string; readonly variant: string | null },
): Promise<Variant | undefined> {
  return findVariant(sql, productId, variant ?? DEFAULT_VARIANT);
}

/** How a connector decides about a license of this variant. */
export function policyFor(
  { connector }: Pick<Application, 'connector'>,
  variant: Variant | undefined,
  issuedAt: number,
): SalePolicy {
  const { settings, mode } = connector;
  return { settings, mode, variantGraceDays: variant?.terms.graceDays ?? 0, issuedAt };
}

/** An event of the storefront about a license of a sale. */
export function storefrontEvent(
  type: StorefrontEvent['type'],
  { email }: Pick<Subject, 'email'>,
  license: Pick<License, 'email' | 'productId' | 'purchaseId'>,
  more: Partial<StorefrontEvent> = {},
): StorefrontEvent {
  const purchase = license.purchaseId === null ? {} : { purchaseId: license.purchaseId };
  return { type, email: email ?? license.email, productId: license.productId, ...purchase, ...more };
}

/** One license of a sale, as the functions of the storefront take it. */
export function soldOf(license: License): Sold {
  return { licenses: [license], units: [] };
}
