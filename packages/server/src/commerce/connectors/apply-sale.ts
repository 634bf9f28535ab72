/** Carries out a sale: licenses by the storefront, once for each unit, and one e-mail with their keys (rules 15.4). */
import { toTimestamp } from '../../ground/base/clock.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { findLicenseOfPurchase } from '../../licensing/licenses/purchase-store.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import { DEFAULT_MAX_MACHINES } from '../../licensing/products/license-type.ts';
import type { Variant } from '../../licensing/products/variant.ts';
import { completePurchase } from '../storefront/purchase.ts';
import { EVERYBODY } from '../storefront/sale.ts';
import { type Application, claim, policyFor, productOf, variantOf } from './application.ts';
import { setOwedEnds } from './apply-subscription.ts';
import { noteMail } from './buyer-mails.ts';
import type { MappedProduct } from './mapping.ts';
import { purchaseIdOf, unitNumber } from './purchase-id.ts';
import { decideLine, type LicenseEnd, type LineDecision, scaledLimit } from './sale-policy.ts';
import { type Sold, type SoldLine, soldKey } from './sources/facts.ts';
import type { Subject, Unit } from './subject.ts';
import {
  addReferences,
  findShopCustomer,
  findSubjectOf,
  listSellersKeys,
  listUnits,
  saveSellersKey,
  saveSubject,
  saveUnit,
} from './subject-store.ts';
import { owedEnd } from './subscription-policy.ts';

/** Carries out a paid sale. Mapped lines are issued; any other line asks for a decision and holds none of them up. */
export async function applySold(application: Application, sold: Sold): Promise<void> {
  const { tx, connector, result } = application;
  const customer =
    sold.customer === null ? undefined : await findShopCustomer(tx, connector.connectorId, sold.customer);
  const email = sold.email ?? customer?.email ?? null;
  const subject = await subjectOf(application, sold, { email, language: sold.language ?? customer?.language ?? null });
  result.subjectId ??= subject.subjectId;
  if (subject.email === null) {
    // The customer's record tells the address, in an event of its own.
    if (sold.customer === null) result.needsDecision('no_email');
    else result.awaited.push({ kind: 'customer', id: sold.customer });
    return;
  }
  const known = await listUnits(tx, subject);
  let isIssued = false;
  for (const [index, line] of sold.lines.entries())
    if (await applyLine(application, { sold, subject, index, line, email: subject.email })) isIssued = true;
  // The seller shows the keys of a license request itself.
  if (!isIssued || sold.isSingleLine) return;
  const { connectorId, subjectId } = subject;
  const [first] = await listUnits(tx, subject);
  const kind = known.length > 0 ? 'keys_added' : 'keys';
  noteMail(application, subject, { kind, sale: { connectorId, subjectId, licenseKey: first!.licenseKey } });
}

/** The sale as it is known with this fact. */
async function subjectOf(
  { tx, origin, connector, result }: Application,
  sold: Sold,
  { email, language }: Pick<Subject, 'email' | 'language'>,
): Promise<Subject> {
  const { connectorId } = connector;
  const known = await findSubjectOf(tx, connectorId, sold.references);
  const periods = sold.lines.flatMap(({ period }) => period ?? []);
  const latest = [...periods, ...(known?.subject.paid ? [known.subject.paid] : [])].reduce<Subject['paid']>(
    (last, each) => (last === null || each.end > last.end || (each.end === last.end && last.isTrial) ? each : last),
    null,
  );
  const subject: Subject = {
    ...(known?.subject ?? {
      connectorId,
      subjectId: sold.order,
      order: sold.order,
      refunded: 0,
      reversal: null,
      status: null,
      createdAt: toTimestamp(origin.now),
    }),
    subscription: known?.subject.subscription ?? sold.subscription,
    email: known?.subject.email ?? email,
    customer: known?.subject.customer ?? sold.customer,
    language: known?.subject.language ?? language,
    total: known?.subject.total ?? sold.total?.amount ?? null,
    currency: known?.subject.currency ?? sold.total?.currency ?? null,
    paid: latest,
  };
  await saveSubject(tx, subject);
  if (known === undefined) result.isNew = true;
  for (const eventId of await addReferences(tx, subject, sold.references, false)) result.due.add(eventId);
  return subject;
}

interface LineOfSale {
  readonly sold: Sold;
  readonly subject: Subject;
  readonly index: number;
  readonly line: SoldLine;
  readonly email: string;
}

/** Issues the licenses of a line; true if any is new. */
async function applyLine(
  application: Application,
  { sold, subject, index, line, email }: LineOfSale,
): Promise<boolean> {
  const { tx, connector, result } = application;
  const mapped = productOf(application, line.names);
  const product = mapped === undefined || mapped === 'ignore' ? undefined : mapped;
  const variant = product && (await variantOf(tx, product));
  const decision = decided(application, line, mapped, variant);
  if (decision.outcome === 'attention') {
    result.needsDecision(decision.reason);
    return false;
  }
  if (decision.outcome !== 'issue') {
    result.ignored ??= decision.outcome === 'ignored' ? 'mapped_to_ignore' : 'told_elsewhere';
    return false;
  }
  // A sale whose money went back gives no further license.
  if (subject.reversal !== null) return false;
  let isIssued = false;
  for (let unit = 1; unit <= decision.units; unit += 1) {
    const ownKey = await sellersKeyFor(application, subject, line.line, decision.mapped);
    if (ownKey === 'awaited') {
      if (await isUnitKnown(application, subject, line.line, unit)) continue;
      result.awaited.push({ kind: 'key', id: subject.subjectId });
      return isIssued;
    }
    if (ownKey === 'taken') {
      result.needsDecision('key_conflict');
      return isIssued;
    }
    if (!(await claim(application, soldKey(sold.order, line.line, unit)))) {
      await noteRecurring(application, { subject, line }, unit);
      continue;
    }
    const purchase = { ...connector, order: sold.order };
    const purchaseId = sold.isSingleLine
      ? purchaseIdOf({ ...purchase, order: `${sold.order}:${line.line}` }, unit)
      : purchaseIdOf(purchase, unitNumber(sold, index, unit));
    const issued = await issue(application, { sold, subject, line, email, decision, variant, purchaseId, ownKey });
    const { mapped: target, factor } = decision;
    const made: Unit = {
      ...{ connectorId: connector.connectorId, subjectId: subject.subjectId, line: line.line, unit },
      ...{ licenseKey: issued.licenseKey, productId: target.productId, variant: target.variant, factor },
      isRecurring: line.isRecurring || line.period !== null || target.kind === 'subscription',
      setExpiresAt: issued.end === null ? null : toTimestamp(issued.end.expiresAt),
      issuedAt: toTimestamp(application.origin.now),
    };
    await saveUnit(tx, made);
    result.did(issued.licenseKey, issued.isNew ? 'issued' : 'linked');
    isIssued ||= issued.isNew;
  }
  return isIssued;
}

/** A line that was told first without its subscription has the end of what is paid from now on. */
async function noteRecurring(
  application: Application,
  { subject, line }: Pick<LineOfSale, 'subject' | 'line'>,
  number: number,
): Promise<void> {
  if (line.period === null) return;
  const { tx, connector } = application;
  const known = (await listUnits(tx, subject)).find((each) => each.line === line.line && each.unit === number);
  if (known === undefined || known.isRecurring) return;
  await saveUnit(tx, { ...known, isRecurring: true });
  await setOwedEnds(application, subject, connector);
}

type IssueDecision = Extract<LineDecision, { readonly outcome: 'issue' }>;

/** The decision of the rules about a line, unless a person decided otherwise. */
function decided(
  application: Application,
  line: SoldLine,
  mapped: MappedProduct | 'ignore' | undefined,
  variant: Variant | undefined,
): LineDecision {
  const { decision, origin } = application;
  const policy = policyFor(application, variant, origin.now);
  const free = decision === 'issue' && typeof mapped === 'object' ? { ...mapped, minimumAmount: null } : mapped;
  const one = decision === 'issue_one' ? { ...line, quantity: 1 } : line;
  const own = decision === 'issue_own_key' && typeof free === 'object' ? { ...free, keys: 'ours' as const } : free;
  return decideLine(one, own, policy);
}

interface Issue extends Pick<LineOfSale, 'sold' | 'subject' | 'line' | 'email'> {
  readonly decision: IssueDecision;
  readonly variant: Variant | undefined;
  readonly purchaseId: string;
  readonly ownKey: string | null;
}

/** Issues a license, or finds the one that the buyer had before the connector was made. */
async function issue(
  { tx, origin, connector }: Application,
  { sold, subject, line, email, decision, variant, purchaseId, ownKey }: Issue,
): Promise<{ readonly licenseKey: string; readonly isNew: boolean; readonly end: LicenseEnd | null }> {
  const { mapped, factor } = decision;
  for (const { id } of sold.references) {
    const { creatorId } = connector;
    const bought = { purchaseId: id, creatorId, preferredProduct: mapped.productId };
    const earlier = await findLicenseOfPurchase(tx, bought);
    if (earlier !== undefined && earlier.productId === mapped.productId)
      return { licenseKey: earlier.licenseKey, isNew: false, end: null };
  }
  const policy = policyFor({ connector }, variant, origin.now);
  const isPeriodic = line.period !== null && subject.paid !== null;
  const end = isPeriodic ? owedEnd({ paid: subject.paid, newest: subject.status }, policy) : decision.end;
  const limits =
    factor === 1
      ? {}
      : {
          maxMachines: scaledLimit(variant?.maxMachines ?? DEFAULT_MAX_MACHINES, factor),
          ...(variant?.maxConcurrent == null ? {} : { maxConcurrent: scaledLimit(variant.maxConcurrent, factor) }),
        };
  const reply = await completePurchase(
    tx,
    {
      type: 'purchase.completed',
      email,
      productId: mapped.productId,
      purchaseId,
      ...(mapped.variant === null ? {} : { variant: mapped.variant }),
      ...(end === null ? {} : { expiresAt: toTimestamp(end.expiresAt), graceDays: end.graceDays }),
      ...limits,
      ...(mapped.unlockedProducts.length === 0 ? {} : { unlockedProducts: [...mapped.unlockedProducts] }),
      ...(line.amount === null ? {} : { amount: line.amount }),
      ...(sold.total === null ? {} : { currency: sold.total.currency }),
    },
    origin,
    ownKey,
  );
  // A key of the seller's keeps its form where it is shown.
  const licenseKey = storedLicenseKey(reply.licenseKey!);
  if (ownKey !== null) await useKey(tx, subject, ownKey);
  return { licenseKey, isNew: reply.duplicate !== true, end };
}

async function useKey(tx: Application['tx'], subject: Subject, ownKey: string): Promise<void> {
  const key = (await listSellersKeys(tx, subject)).find(({ licenseKey }) => licenseKey === ownKey);
  if (key !== undefined) await saveSellersKey(tx, { ...key, isUsed: true });
}

async function isUnitKnown({ tx }: Application, subject: Subject, line: string, unit: number): Promise<boolean> {
  return (await listUnits(tx, subject)).some((each) => each.line === line && each.unit === unit);
}

/** The seller's key for the next unit of a line; null where keys are ours. */
async function sellersKeyFor(
  { tx, decision }: Application,
  subject: Subject,
  line: string,
  { keys }: MappedProduct,
): Promise<string | null | 'awaited' | 'taken'> {
  if (keys === 'ours' || decision === 'issue_own_key') return null;
  const unused = (await listSellersKeys(tx, subject)).find(
    (each) => !each.isUsed && !each.isDisabled && (each.line === null || each.line === line),
  );
  if (unused === undefined) return 'awaited';
  return (await findLicense(tx, storedLicenseKey(unused.licenseKey), EVERYBODY)) === undefined
    ? unused.licenseKey
    : 'taken';
}
