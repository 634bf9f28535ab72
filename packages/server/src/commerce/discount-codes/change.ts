/** The only writer of discount codes; records every change. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { foldCode } from '../../ground/base/typed-text.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { difference, type Facts, type Origin, type Recorded } from '../../platform/events/event.ts';
import { recording } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { DiscountCode } from './discount-code.ts';
import {
  deleteDiscountCode,
  insertDiscountCode,
  insertRedemption,
  type Redemption,
  updateDiscountCode,
} from './store.ts';

/** Adds a code; returns false and adds nothing when the code exists, ignoring case. */
export async function addDiscountCode(tx: Tx, origin: Origin, code: DiscountCode): Promise<boolean> {
  const created: Recorded = { ...subjectOf(code), type: 'discount_code.created', after: factsOf(code), origin };
  return recording(
    tx,
    (isNew) => (isNew ? [created] : []),
    (tx) => insertDiscountCode(tx, code),
  );
}

/** Writes the new state of a locked code. */
export async function changeDiscountCode(
  tx: Tx,
  origin: Origin,
  code: DiscountCode,
  changed: DiscountCode,
): Promise<void> {
  const differing = difference(factsOf(code), factsOf(changed));
  if (Object.keys(differing.after).length === 0) return;
  await recording(tx, [{ ...subjectOf(code), type: 'discount_code.updated', ...differing, origin }], (tx) =>
    updateDiscountCode(tx, code, changed),
  );
}

/** Counts a use of a locked code, and stores its redeemer and license. */
export async function redeemDiscountCode(
  tx: Tx,
  origin: Origin,
  code: DiscountCode,
  { email, licenseKey }: Pick<License, 'email' | 'licenseKey'>,
): Promise<void> {
  const usedCount = code.usedCount + 1;
  const before = { usedCount: code.usedCount };
  const redeemed: Recorded = {
    ...subjectOf(code),
    type: 'discount_code.redeemed',
    before,
    after: { usedCount },
    origin,
  };
  await recording(tx, [redeemed], async (tx) => {
    await updateDiscountCode(tx, code, { ...code, usedCount });
    await insertRedemption(tx, code, { email, licenseKey, redeemedAt: toTimestamp(origin.now) });
  });
}

/** Stores a use of a code made elsewhere; the code's count includes it already. */
export async function addRedemption(
  tx: Tx,
  origin: Origin,
  code: DiscountCode,
  redemption: Redemption & Pick<License, 'email'>,
): Promise<void> {
  const after = { usedCount: code.usedCount, redeemedAt: redemption.redeemedAt };
  await recording(tx, [{ ...subjectOf(code), type: 'discount_code.redeemed', after, origin }], (tx) =>
    insertRedemption(tx, code, redemption),
  );
}

/** Deletes a locked code and its redemptions; the licenses issued with it stay. */
export async function removeDiscountCode(tx: Tx, origin: Origin, code: DiscountCode): Promise<void> {
  await recording(tx, [{ ...subjectOf(code), type: 'discount_code.deleted', before: factsOf(code), origin }], (tx) =>
    deleteDiscountCode(tx, code),
  );
}

function subjectOf({
  code,
  productId,
  creatorId,
}: DiscountCode): Pick<Recorded, 'subject' | 'productId' | 'creatorId'> {
  return { subject: foldCode(code), productId, creatorId };
}

function factsOf({ code, trialDays, maxUses, usedCount, active, expiresAt }: DiscountCode): Facts {
  return { code, trialDays, maxUses, usedCount, active, expiresAt };
}
