/**
 * Checks that a request names this service as its host. A page on the internet may point a domain name of its own at an
 * address that only this machine or network can reach (DNS rebinding). The browser then sends that name in `Host` and
 * lets the page read the reply. A `Host` with an address is safe: the page would have to come from that address itself.
 */
import { canonicalAddress } from '../../ground/base/network-address.ts';

/** The host of a `Host` header without its port: a name in lower case without a trailing dot, or an address. */
function hostIn(header: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header.trim()) ?? [];
  return bracketed ?? plain.toLowerCase().replace(/\.$/, '');
}

/**
 * @param header of the request; undefined in HTTP/1.0, which no browser uses
 * @param names host names and addresses; `*.example.com` stands for every name with exactly one more label
 */
export function isNamed(header: string | undefined, names: Iterable<string>): boolean {
  if (header === undefined) return true;
  const host = hostIn(header);
  if (canonicalAddress(host) !== null) return true;
  const [, parent = ''] = /^[^.]+(\..+)$/.exec(host) ?? [];
  for (const name of names) {
    const known = name.toLowerCase();
    if (known === host || (parent !== '' && known === `*${parent}`)) return true;
  }
  return false;
}
