/** Carries out refunds and disputes (rules 15.6). */

import type { License } from '../../licensing/licenses/license.ts';
import { reinstatementOf } from '../../licensing/licenses/revocation.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import { listOpenViolations } from '../../licensing/violations/violation-store.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { notePartialRefund, noteWonDispute, reversePurchase } from '../storefront/reversal.ts';
import { changeSold, EVERYBODY } from '../storefront/sale.ts';
import { type Application, claim, isTeller, soldOf, storefrontEvent } from './application.ts';
import { changePlan } from './apply-subscription.ts';
import { decideDispute, decideRefund } from './reversal-policy.ts';
import { type Disputed, factKey, type Refunded, type RefundUndone } from './sources/facts.ts';
import type { Subject, Unit } from './subject.ts';
import { findFact, findSubjectOf, listUnits, saveSubject, saveUnit } from './subject-store.ts';

/** A license of a sale with its unit. */
interface Held {
  readonly unit: Unit;
  readonly license: License;
}

async function heldOf({ tx }: Application, subject: Subject): Promise<readonly Held[]> {
  const held: Held[] = [];
  for (const unit of await listUnits(tx, subject)) {
    const license = await findLicense(tx, unit.licenseKey, EVERYBODY);
    if (license !== undefined) held.push({ unit, license });
  }
  return held;
}

/** Finds the sale that a fact is about; otherwise the event waits for it. */
async function saleOf(application: Application, { of }: Pick<Refunded, 'of'>) {
  const { tx, connector, result } = application;
  const known = await findSubjectOf(tx, connector.connectorId, of);
  if (known === undefined) result.awaited.push(...of);
  else result.subjectId ??= known.subject.subjectId;
  return known;
}

/** Money that went back. */
export async function applyRefunded(application: Application, refunded: Refunded): Promise<void> {
  const { result, connector } = application;
  const known = await saleOf(application, refunded);
  if (known === undefined) return;
  const { subject, isLater } = known;
  if (!(await claim(application, factKey(refunded)!))) return;
  const held = await heldOf(application, subject);
  const remaining = held.filter(({ license }) => license.revocation === null);
  const { total, currency } = subject;
  const decision = decideRefund(
    refunded,
    {
      ...{ total, currency, refunded: subject.refunded, isLaterPayment: isLater },
      units: remaining.map(({ unit, license }) => ({ ...unit, isActivated: license.machinesUsed > 0 })),
    },
    connector.settings,
  );
  const isAll = !decision.notes && decision.attention === null && refunded.lines === null;
  const reversal = subject.reversal ?? (isAll ? 'refund' : null);
  await saveSubject(application.tx, { ...subject, refunded: isLater ? subject.refunded : decision.refunded, reversal });
  if (decision.attention !== null) result.needsDecision(decision.attention);
  for (const { unit, license } of remaining)
    if (decision.revoke.includes(unit.licenseKey)) await reverse(application, subject, license, 'refund');
    else if (decision.notes) await notePart(application, subject, license, refunded);
  for (const { licenseKey, factor } of decision.rescale)
    await rescale(application, subject, held, { licenseKey, factor });
}

/** A license that stands for several units stands for fewer. */
async function rescale(
  application: Application,
  subject: Subject,
  held: readonly Held[],
  { licenseKey, factor }: { readonly licenseKey: string; readonly factor: number },
): Promise<void> {
  const { unit } = held.find((each) => each.unit.licenseKey === licenseKey)!;
  if (!(await changePlan(application, subject, unit, { variant: unit.variant, factor }))) return;
  await saveUnit(application.tx, { ...unit, factor });
  application.result.did(licenseKey, 'changed');
}

/** Takes a license back, as a refund or a dispute of the storefront does. */
export async function reverse(
  { tx, origin, result }: Pick<Application, 'tx' | 'origin' | 'result'>,
  subject: Subject,
  license: License,
  reason: 'refund' | 'chargeback',
): Promise<void> {
  const type = reason === 'refund' ? 'purchase.refunded' : 'purchase.disputed';
  const event = storefrontEvent(type, subject, license);
  if (isRefusal(await reversePurchase(tx, event, reason, origin, soldOf(license)))) return;
  result.did(license.licenseKey, 'revoked');
}

async function notePart(
  { tx, origin, result }: Application,
  subject: Subject,
  license: License,
  { amount, currency }: Refunded,
): Promise<void> {
  const money = { ...(amount === null ? {} : { amount }), ...(currency === null ? {} : { currency }) };
  const event = storefrontEvent('purchase.refunded', subject, license, { partial: true, ...money });
  if (!isRefusal(await notePartialRefund(tx, event, origin, soldOf(license)))) result.did(license.licenseKey, 'noted');
}

/** A refund that did not happen after all: a person decides, because the license is revoked. */
export async function applyRefundUndone(application: Application, undone: RefundUndone): Promise<void> {
  const known = await saleOf(application, undone);
  if (known === undefined) return;
  const key = factKey(undone)!;
  await claim(application, key);
  if (await isTeller(application, key)) application.result.needsDecision('refund_undone');
}

/** A step of a dispute. */
export async function applyDisputed(application: Application, disputed: Disputed): Promise<void> {
  const { tx, connector, result } = application;
  const known = await saleOf(application, disputed);
  if (known === undefined) return;
  const { subject } = known;
  const won = factKey({ ...disputed, phase: 'won' })!;
  const isWon = (await findFact(tx, connector.connectorId, won)) !== undefined;
  const decision = decideDispute(disputed, isWon, connector.settings);
  const key = factKey(disputed)!;
  const isFirst = await claim(application, key);
  if (decision === 'attention' && (await isTeller(application, key))) result.needsDecision('dispute_won');
  if (!isFirst) return;
  if (decision === 'revoke') await saveSubject(tx, { ...subject, reversal: 'chargeback' });
  if (decision === 'reinstate')
    await saveSubject(tx, { ...subject, reversal: isRefundedWhole(subject) ? 'refund' : null });
  for (const { license } of await heldOf(application, subject)) {
    if (decision === 'revoke' && license.revocation !== 'chargeback')
      await reverse(application, subject, license, 'chargeback');
    if (decision === 'attention') await noteWon(application, subject, license);
    if (decision === 'reinstate' && license.revocation === 'chargeback' && !isRefundedWhole(subject))
      await reinstate(application, subject, license);
  }
}

function isRefundedWhole({ refunded, total }: Subject): boolean {
  return total !== null && total > 0 && refunded >= total;
}

async function noteWon({ tx, origin, result }: Application, subject: Subject, license: License): Promise<void> {
  const event = storefrontEvent('purchase.dispute_won', subject, license);
  if (!isRefusal(await noteWonDispute(tx, event, origin, soldOf(license)))) result.did(license.licenseKey, 'noted');
}

/** Lifts the revocation of a license, as /reinstateLicense does. */
export async function reinstate(
  { tx, origin, result }: Pick<Application, 'tx' | 'origin' | 'result'>,
  subject: Subject,
  license: License,
): Promise<void> {
  const event = storefrontEvent('purchase.dispute_won', subject, license);
  const load = ({ licenseKey }: License) => listOpenViolations(tx, licenseKey);
  const changed = await changeSold(tx, event, origin, { sold: soldOf(license), load }, (_, open) =>
    reinstatementOf(open),
  );
  if (!isRefusal(changed)) result.did(license.licenseKey, 'reinstated');
}
