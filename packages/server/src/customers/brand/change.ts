/**
 * The only writer of brands; records every change, of the logo and the links of products their size and digest only.
 */
import { hash } from 'node:crypto';
import { toTimestamp } from '../../ground/base/clock.ts';
import { difference, type Facts, type Origin, type Recorded } from '../../platform/events/event.ts';
import { recording } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { OPERATOR, type WholeBrand } from './brand.ts';
import { insertBrand, updateBrand } from './store.ts';

/**
 * Writes a brand.
 *
 * @param before the brand as it was locked; undefined for a new one
 * @returns undefined, and nothing is written, if another transaction made the brand meanwhile: no row could be locked
 */
export async function changeBrand(
  tx: Tx,
  origin: Origin,
  before: WholeBrand | undefined,
  after: WholeBrand,
): Promise<WholeBrand | undefined> {
  const differing = difference(before === undefined ? {} : factsOf(before), factsOf(after));
  if (before !== undefined && Object.keys(differing.after).length === 0) return before;
  const changed = { ...after, updatedAt: toTimestamp(origin.now) };
  const creatorId = changed.creatorId === OPERATOR ? null : changed.creatorId;
  const facts = before === undefined ? { before: null, after: differing.after } : differing;
  const updated: Recorded = { type: 'brand.updated', subject: creatorId, creatorId, ...facts, origin };
  const isWritten = await recording(
    tx,
    (isWritten) => (isWritten ? [updated] : []),
    async (tx) => {
      if (before === undefined) return insertBrand(tx, changed);
      await updateBrand(tx, changed);
      return true;
    },
  );
  return isWritten ? changed : undefined;
}

function factsOf({ name, supportAddress, supportUrl, accent, allowsNewKeys, logo, productLinks }: WholeBrand): Facts {
  return {
    name,
    supportAddress,
    supportUrl,
    accent,
    allowsNewKeys,
    logoBytes: logo === null ? 0 : Buffer.byteLength(logo.data, 'base64'),
    logoSha256: logo === null ? null : hash('sha256', Buffer.from(logo.data, 'base64')),
    linkedProducts: productLinks.length,
    productLinksSha256: productLinks.length === 0 ? null : hash('sha256', JSON.stringify(productLinks)),
  };
}
