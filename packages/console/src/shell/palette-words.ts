/** The words and addresses of search hits. */
import type { SearchHit, SearchHitKind, SearchMatch } from '../api/contract.ts';
import { relativeTime } from '../parts/time-words.ts';

/** Kinds in display order, with the titles of their groups. */
export const KINDS: readonly (readonly [SearchHitKind, string])[] = [
  ['license', 'Licenses'],
  ['machine', 'Machines'],
  ['user', 'Users'],
  ['purchase', 'Purchases'],
  ['seat', 'Seats'],
  ['order', 'Orders'],
  ['product', 'Products'],
  ['code', 'Codes'],
  ['request', 'Requests'],
];

const MATCHES: Readonly<Record<SearchMatch, string>> = {
  key: 'by key',
  keyEnd: 'by the end of the key',
  user: 'by user',
  metadata: 'by metadata',
  email: 'by e-mail',
  domain: 'by domain',
  lastName: 'by last name',
  purchaseId: 'by purchase',
  orderNumber: 'by the number of the order',
  sellerId: 'by the id at the seller',
  orderId: 'by order',
  seatCode: 'by seat code',
  slug: 'by identifier',
  name: 'by name',
  code: 'by code',
  requestId: 'by request id',
  hostname: 'by hostname',
  fingerprint: 'by fingerprint',
};

/** The field that matched. */
export function matchText({ matchedBy }: Pick<SearchHit, 'matchedBy'>): string {
  return MATCHES[matchedBy] ?? '';
}

/** A customer among the hits. */
export interface FoundCustomer {
  readonly email: string;
  /** Number of found licenses. */
  readonly licenses: number;
}

/** The matches of an address. */
const BY_ADDRESS: readonly SearchMatch[] = ['email', 'domain', 'lastName'];

/** The customers whose licenses were found by their addresses, each once, in the order of the hits. */
export function customersAmong(
  hits: readonly Pick<SearchHit, 'kind' | 'matchedBy' | 'title'>[],
): readonly FoundCustomer[] {
  const found = new Map<string, number>();
  for (const { kind, matchedBy, title } of hits)
    if (kind === 'license' && BY_ADDRESS.includes(matchedBy)) {
      const email = title.trim().toLowerCase();
      found.set(email, (found.get(email) ?? 0) + 1);
    }
  return [...found].map(([email, licenses]) => ({ email, licenses }));
}

/** The customer and the product of a hit, unless its title names them. */
export function contextOf({ title, email, productId }: Pick<SearchHit, 'title' | 'email' | 'productId'>) {
  return [email, productId].map((name) => (name === title ? null : name));
}

/**
 * The last sign of life of a machine, or of a license's machines, or the last refusal.
 *
 * @param now milliseconds since 1970
 */
export function seenText(
  { kind, status, at, lastSeenAt }: Pick<SearchHit, 'kind' | 'status' | 'at' | 'lastSeenAt'>,
  now: number,
): string {
  if (kind === 'machine' && status === 'refused') return `refused ${relativeTime(at, now)}`;
  if (lastSeenAt !== null) return `seen ${relativeTime(lastSeenAt, now)}`;
  return kind === 'license' || kind === 'purchase' ? 'never seen' : '';
}

/** The order of hits of one kind: refused machines first, otherwise as found. */
export function refusedFirst(one: Pick<SearchHit, 'status'>, other: Pick<SearchHit, 'status'>): number {
  return Number(other.status === 'refused') - Number(one.status === 'refused');
}

/** "3 found.", "More than 20 found." */
export function foundText(hits: number, isMore: boolean): string {
  return isMore ? `More than ${hits} found, the first ${hits} are shown.` : `${hits} found.`;
}

/** A longer text holds more than one name. */
const LONGEST_NAME = 320;

/** The message without hits. @param searchedFor the names found in the text; empty if the text is one name itself */
export function nothingText(text: string, searchedFor: readonly string[]): string {
  if (searchedFor.length === 0)
    return text.length > LONGEST_NAME
      ? 'Nothing in this text looks like a key, an address, an order or a machine.'
      : 'Nothing begins with this.';
  return `Nothing found for ${searchedFor.join(', ')}.`;
}

/** The screen of a customer, as an address after the #. */
export function addressOfCustomer(email: string): string {
  return `/customers/${encodeURIComponent(email)}`;
}

/** The screen that a hit opens, as an address after the #. */
export function addressOf(hit: Pick<SearchHit, 'kind' | 'licenseKey' | 'id' | 'status'>): string {
  const id = encodeURIComponent(hit.id ?? '');
  if (hit.kind === 'product') return `/products/${id}`;
  if (hit.kind === 'code') return `/codes/${id}`;
  if (hit.kind === 'order' || hit.kind === 'seat') return `/orders/${id}`;
  if (hit.kind === 'request') return `/activity?request=${id}`;
  const license = `/licenses/${encodeURIComponent(hit.licenseKey ?? hit.id ?? '')}`;
  // Opens "Why?" for the refused machine. For a bound machine, the useful question is about the machine that it keeps
  // out.
  return hit.kind === 'machine' && hit.status === 'refused' ? `${license}?machine=${id}` : license;
}
