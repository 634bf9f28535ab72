/** The new key that a customer may give a license (rules 13.11). */
import { toTimestamp } from '../../ground/base/clock.ts';
import { type License, statusAt } from '../../licensing/licenses/license.ts';
import { listPredecessors } from '../../licensing/licenses/replacement.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { askRates, type RateLimit } from '../../platform/rates/rates.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { allowsNewKeys } from '../brand/store.ts';
import { refOfLicense } from './cards.ts';
import { TIMES } from './settings.ts';
import type { NewKey } from './shapes.ts';

const OFF: NewKey = { may: 'off', nextAt: null };

/** Whether the owner of the product lets customers give this license a new key. Only an active license gets one. */
export async function isNewKeyAllowed(sql: Sql, license: License, now: number): Promise<boolean> {
  if (statusAt(license, now) !== 'active') return false;
  const product = await findProduct(sql, license.productId, { creatorId: null });
  return allowsNewKeys(sql, product?.creatorId ?? null);
}

/** The limit of new keys. It counts by the first key, so a license does not begin anew with each key. */
export async function limitOfNewKeys(sql: Sql, license: License): Promise<RateLimit> {
  const first = (await listPredecessors(sql, license)).at(-1) ?? license;
  return { subject: `new keys of ${refOfLicense(first.licenseKey)}`, max: 1, windowMs: TIMES.newKey, partMs: 1 };
}

/**
 * The new key of a license for its page.
 *
 * @param now milliseconds since 1970
 */
export async function newKeyOf(sql: Sql, license: License, now: number): Promise<NewKey> {
  if (!(await isNewKeyAllowed(sql, license, now))) return OFF;
  const pause = await askRates(sql, [await limitOfNewKeys(sql, license)], now);
  return pause === null ? { may: 'possible', nextAt: null } : { may: 'spent', nextAt: toTimestamp(now + pause * 1000) };
}
