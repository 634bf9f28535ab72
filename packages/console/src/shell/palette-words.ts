/** The words and addresses of search hits. */
import type { SearchHit, SearchHitKind, SearchMatch } from '../api/contract.ts';

/** Kinds in display order, with the titles of their groups. */
export const KINDS: readonly (readonly [SearchHitKind, string])[] = [
  ['license', 'Licenses'],
  ['machine', 'Machines'],
  ['purchase', 'Purchases'],
  ['seat', 'Seats'],
  ['order', 'Orders'],
  ['product', 'Products'],
  ['code', 'Codes'],
  ['request', 'Requests'],
];

const MATCHES: Readonly<Record<SearchMatch, string>> = {
  key: 'by key',
  email: 'by e-mail',
  purchaseId: 'by purchase',
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
