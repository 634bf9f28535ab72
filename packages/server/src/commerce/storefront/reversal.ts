/**
 * purchase.refunded and purchase.disputed: the payment is returned, so the licenses are revoked. A partial refund
 * revokes nothing, and a refund of some copies takes these back (rules 6.3).
 */

import { moneyText } from '../../ground/base/money.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { revocationOf } from '../../licensing/licenses/revocation.ts';
import type { Refusal } from '../../platform/endpoint/refusals.ts';
import type { Facts, Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { givenBackOf, limitOfCopies } from './given-back.ts';
import type { WebhookReply } from './reply.ts';
import { changeSold, lockSold, type Sold } from './sale.ts';
import { setQuantitiesOf } from './sold-unit-store.ts';

/** The reply to an event about existing licenses, or its refusal. */
type Reversed = Promise<WebhookReply | Refusal<'license_not_found'>>;

/**
 * Revokes the licenses of a sale at threat level 4. Each call opens a violation of its own.
 *
 * @param sold as `findReversed` finds it, so that a refund never revokes a license of another sale
 */
export async function reversePurchase(
  tx: Tx,
  event: StorefrontEvent,
  reason: 'refund' | 'chargeback',
  origin: Origin,
  sold: Sold | undefined,
): Reversed {
  const { purchaseId, amount, currency } = event;
  // JSON drops undefined fields from the stored evidence.
  const evidence = { reportedBy: 'storefront', purchaseId, amount, currency };
  return changeSold(tx, event, origin, { sold }, (license) => revocationOf(license, reason, evidence, origin.now));
}

/**
 * Takes back the copies of a sale that a refund names with its quantity, or all of them: revokes licenses that no
 * machine uses, or lowers the limits of the one license. Copies that are in use stay, with a note for staff.
 *
 * @param sold as `findReversed` finds it
 */
export async function refundCopies(tx: Tx, event: StorefrontEvent, origin: Origin, sold: Sold | undefined): Reversed {
  const { quantity = null } = event;
  if (sold === undefined || quantity === null || sold.units.length === 0)
    return reversePurchase(tx, event, 'refund', origin, sold);
  const present = await lockSold(tx, sold);
  const copies = present.licenses.map((license, index) => ({ ...license, ...present.units[index]! }));
  const { revoke, reduce, inUse } = givenBackOf(copies, quantity);
  if (reduce !== null) return reduceCopies(tx, event, origin, only(present, [reduce.licenseKey]), reduce.quantity);
  const revoked = await reversePurchase(tx, event, 'refund', origin, only(present, revoke));
  if (inUse === 0) return revoked;
  const kept = copies.filter(({ licenseKey, revocation }) => revocation === null && !revoke.includes(licenseKey));
  const text = `Copies of the purchase were refunded while in use: ${inUse}. Revoke licenses that are given up.`;
  const noted = await noteOn(tx, event, origin, only(present, [kept[0]!.licenseKey]), { text });
  return revoke.length > 0 ? revoked : noted;
}

/** Lowers the limits of a license to those of the copies that are left. */
async function reduceCopies(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
  sold: Sold | undefined,
  quantity: number,
): Reversed {
  const before = sold?.units[0]?.quantity ?? 1;
  const reply = await changeSold(tx, event, origin, { sold }, ({ maxMachines, maxConcurrent }) => ({
    type: 'license.updated',
    update: {
      maxMachines: limitOfCopies(maxMachines, before, quantity),
      maxConcurrent: maxConcurrent === null ? null : limitOfCopies(maxConcurrent, before, quantity),
    },
    details: { reason: 'refund' },
  }));
  if (sold !== undefined) await setQuantitiesOf(tx, keysOf(sold), quantity);
  return reply;
}

/** Notes on the licenses that a part of their price was refunded. They stay as they are, revoked or not. */
export async function notePartialRefund(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
  sold: Sold | undefined,
): Reversed {
  const { amount, currency = '' } = event;
  // Some shops send what goes back as a negative amount.
  const refunded = amount === undefined ? '' : `: ${moneyText(Math.abs(amount), currency)}`;
  return noteOn(tx, event, origin, sold, { text: `Part of the purchase was refunded${refunded}.`, reason: 'refund' });
}

/**
 * Notes a dispute that was won. The licenses stay revoked: a person decides whether to reinstate them, and the `reason`
 * of the note lets the console offer it.
 */
export async function noteWonDispute(tx: Tx, event: StorefrontEvent, origin: Origin, sold: Sold | undefined): Reversed {
  const text = 'The dispute was won. Reinstating lifts the revocation.';
  return noteOn(tx, event, origin, sold, { text, reason: 'dispute_won' });
}

function noteOn(tx: Tx, event: StorefrontEvent, origin: Origin, sold: Sold | undefined, note: Facts): Reversed {
  return changeSold(tx, event, origin, { sold }, () => ({
    type: 'license.noted',
    entry: { subject: null, before: null, after: note },
  }));
}

function keysOf({ licenses }: Sold): readonly string[] {
  return licenses.map(({ licenseKey }) => licenseKey);
}

/** The licenses of a sale that have these keys; undefined for none. */
function only({ licenses, units }: Sold, licenseKeys: readonly string[]): Sold | undefined {
  const isNamed = ({ licenseKey }: Pick<License, 'licenseKey'>) => licenseKeys.includes(licenseKey);
  const [first, ...others] = licenses.filter(isNamed);
  return first && { licenses: [first, ...others], units: units.filter(isNamed) };
}
