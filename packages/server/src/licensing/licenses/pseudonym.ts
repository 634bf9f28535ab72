/** The addresses that licenses of forgotten customers have (rules 4.10.1). */
import { mintGroups } from '../../ground/base/random.ts';

const BEGINNING = 'forgotten-';

/** Pseudonyms lie between these texts in an index of addresses; some addresses of customers may, too. */
export const PSEUDONYMS = { first: BEGINNING, last: `${BEGINNING}~` } as const;

/** Makes an address that receives no e-mail: `.invalid` belongs to nobody (RFC 2606). */
export function mintPseudonym(): string {
  return `${BEGINNING}${mintGroups(1, 16).toLowerCase()}@invalid`;
}

/** Whether an address is one that {@link mintPseudonym} made. */
export function isPseudonym(email: string): boolean {
  return /^forgotten-[a-z\d]{16}@invalid$/.test(email);
}
