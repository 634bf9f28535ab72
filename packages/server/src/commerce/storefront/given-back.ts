/** Which copies of a line a refund takes back (rules 6.3). Pure. */
import type { License } from '../../licensing/licenses/license.ts';
import type { SoldUnit } from './sold-unit-store.ts';

/** A license of a line and the copies that it stands for. */
export type SoldCopies = Pick<License, 'licenseKey' | 'revocation' | 'machinesUsed'> & Pick<SoldUnit, 'quantity'>;

/** The effect of a refund of some copies on the licenses of their line. */
export interface GivenBack {
  /** Keys of licenses to revoke. */
  readonly revoke: readonly string[];
  /** The license that stands for fewer copies from now on. */
  readonly reduce: { readonly licenseKey: string; readonly quantity: number } | null;
  /** Copies that were refunded while a machine uses each of those that are left: a person decides. */
  readonly inUse: number;
}

/**
 * Decides about a refund of some copies: those that no machine uses, the last ones first. A line of one license for all
 * copies keeps it for the rest.
 *
 * @param copies of the line, in the order of their units
 * @param quantity refunded now; null for all
 */
export function givenBackOf(copies: readonly SoldCopies[], quantity: number | null): GivenBack {
  const valid = copies.filter(({ revocation }) => revocation === null);
  const left = valid.reduce((sum, each) => sum + each.quantity, 0);
  // A repeated refund of everything is one more report about every license.
  if (quantity === null || quantity >= left)
    return { revoke: (left === 0 ? copies : valid).map(({ licenseKey }) => licenseKey), reduce: null, inUse: 0 };
  const [only, ...others] = valid;
  if (only !== undefined && others.length === 0)
    return { revoke: [], reduce: { licenseKey: only.licenseKey, quantity: left - quantity }, inUse: 0 };
  const unused = valid.filter(({ machinesUsed }) => machinesUsed === 0).reverse();
  const revoke = unused.slice(0, quantity).map(({ licenseKey }) => licenseKey);
  return { revoke, reduce: null, inUse: quantity - revoke.length };
}

/**
 * A limit of a license for fewer copies: in proportion, where each copy has the same share of it; else as it is, since
 * somebody gave the license a limit of its own.
 */
export function limitOfCopies(limit: number, before: number, after: number): number {
  return limit > 0 && limit % before === 0 ? (limit / before) * after : limit;
}
