/**
 * Network addresses: one spelling for each address, and the networks that limits count by. Everything that reads an
 * address uses this file.
 */
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** A network that rate limits count by. */
export interface Network {
  /** `203.0.113.9`, `2001:db8:0:7::/64` or `2001:db8::/48`. */
  readonly name: string;
  /** Multiple of the limit per network that applies here. */
  readonly times: number;
}

/** The longest text that is an address: IPv6 with brackets, a zone and a port. */
const LONGEST_TEXT = 100;
/** Number of addresses kept: parsing one takes microseconds, and few write to a service at a time. */
const ADDRESSES_KEPT = 10_000;
/** A provider may give one subscriber a /48, which holds 65,536 networks of the size that most subscribers have. */
const TIMES_OF_WIDE_NETWORK = 16;

/** Canonical addresses by their text; '' for a text that is not an address. */
const known = new LRUCache<string, string>({ max: ADDRESSES_KEPT });

/**
 * Returns the canonical spelling of an address, or null if the text is not an address. IPv4 mapped into IPv6
 * (`::ffff:192.0.2.1`, also as `::ffff:c000:201`, and the form of a NAT64 translator, `64:ff9b::c000:201`) becomes
 * IPv4; zones (`%eth0`) are removed, letters become lower case, zeros are shortened as in RFC 5952. IPv4 is four
 * decimal numbers, nothing else.
 */
export function canonicalAddress(text: string): string | null {
  if (text.length > LONGEST_TEXT) return null;
  let address = known.get(text);
  if (address === undefined) {
    address = parseAddress(text) ?? '';
    known.set(text, address);
  }
  return address === '' ? null : address;
}

/**
 * Returns the canonical address of an entry of X-Forwarded-For, which may have a port: `203.0.113.9:5100`,
 * `[2001:db8::1]:443`. Returns null for `unknown`, for the names that some proxies write to hide an address, and for
 * every other text that is not an address.
 */
export function forwardedAddress(entry: string): string | null {
  const text = entry.trim();
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  if (bracketed !== undefined) return bracketed.includes(':') ? canonicalAddress(bracketed) : null;
  return canonicalAddress(plain ?? text);
}

/** Whether a canonical address ({@link canonicalAddress}) is IPv6. */
export function isIpv6(address: string): boolean {
  return address.includes(':');
}

/** Ranges that no packet from the internet has as its source, unless a device in front rewrites the source. */
const NEAR_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal']);

/**
 * Whether an address belongs to this machine or to a private network: 127.0.0.0/8, 10.0.0.0/8, 172.16.0.0/12,
 * 192.168.0.0/16, 169.254.0.0/16, ::1, fc00::/7, fe80::/10.
 *
 * @param address in the spelling of {@link canonicalAddress}
 */
export function isLoopbackOrPrivate(address: string): boolean {
  return NEAR_RANGES.has(ipaddr.parse(address).range());
}

/** Whether a listening host, a name or an address, is reachable from this machine alone. */
export function isLoopback(host: string): boolean {
  const address = canonicalAddress(host);
  return address === null ? host.toLowerCase() === 'localhost' : ipaddr.parse(address).range() === 'loopback';
}

/** Returns the network that one subscriber usually holds: the IPv4 address itself, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  return isIpv6(address) ? networkOfLength(address, 64) : address;
}

/**
 * Returns the networks in which a limit per network counts an address, the widest first: an IPv4 address; or an IPv6
 * /48, at sixteen times the limit, and the /64 in it. Every caller locks them in this order.
 *
 * @param address in the spelling of {@link canonicalAddress}
 */
export function networksOf(address: string): readonly Network[] {
  const network = { name: networkOf(address), times: 1 };
  if (!isIpv6(address)) return [network];
  return [{ name: networkOfLength(address, 48), times: TIMES_OF_WIDE_NETWORK }, network];
}

function parseAddress(text: string): string | null {
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? text : null;
  const [address = '', ...zone] = text.split('%');
  if (zone.length > 1 || zone[0] === '') return null;
  const tail = address.slice(address.lastIndexOf(':') + 1);
  if (tail.includes('.') && !ipaddr.IPv4.isValidFourPartDecimal(tail)) return null;
  if (!ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  if (parsed.range() === 'rfc6052') return new ipaddr.IPv4(parsed.toByteArray().slice(12)).toString();
  return parsed.toRFC5952String();
}

function networkOfLength(address: string, bits: number): string {
  const parts = ipaddr.IPv6.parse(address).parts.map((part, index) => (index * 16 < bits ? part : 0));
  return `${new ipaddr.IPv6(parts).toRFC5952String()}/${bits}`;
}
