/** Whether a request was sent by a page of the service itself (rules 5.4 and 13). */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * True if the browser says so: by `Sec-Fetch-Site`, or, where it is too old for that, by `Origin`. A request without
 * both counts as foreign. Pages with forms send `Referrer-Policy: same-origin`, because with `no-referrer` browsers
 * would send `Origin: null` with them.
 *
 * @param publicOrigin of LATCHKEY_PUBLIC_URL, where a proxy may replace `Host`
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, publicOrigin?: string): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return false;
  const given = origin.toLowerCase();
  return given === publicOrigin?.toLowerCase() || (host !== undefined && given === `https://${host.toLowerCase()}`);
}
