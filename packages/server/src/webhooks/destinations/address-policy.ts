/**
 * Addresses that events may be sent to (rules 12). A creator names the address, so without a check the service would be
 * a way into the operator's network.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The allowed addresses, as plain data that can be sent to a thread. Networks are in CIDR notation. */
export interface AddressPolicy {
  /** Private networks that the operator's own destinations may reach, also without TLS and as literals. */
  readonly operatorNetworks: readonly string[];
  /** Networks that no destination may reach, for example the operator's own public addresses. */
  readonly deniedNetworks: readonly string[];
  /** Loopback addresses that tests allow for every destination; no setting fills this list. */
  readonly testAddresses: readonly string[];
}

/** The default policy: public addresses only. */
export const PUBLIC_ADDRESSES: AddressPolicy = { operatorNetworks: [], deniedNetworks: [], testAddresses: [] };

export const LONGEST_URL = 2_048;
/** Lower ports belong to system services, for example mail. */
const LOWEST_FREE_PORT = 1_024;
/** Answers virtual machines of Azure about themselves, at an address that looks public. */
const AZURE_HOST = '168.63.129.16';
/** The part of IPv6 that is assigned to the internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns whether a connection to an address is allowed.
 *
 * @param address as returned by a name server or a socket; any other text is not allowed
 * @param isOperators true for a destination of the operator
 */
export function isAllowedAddress(policy: AddressPolicy, address: string, isOperators: boolean): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (isWithin(parsed, policy.deniedNetworks)) return false;
  if (isPublic(parsed)) return true;
  return (isOperators && isWithin(parsed, policy.operatorNetworks)) || policy.testAddresses.includes(parsed.toString());
}

/**
 * Returns whether an address is in a private network that the operator configured, which allows requests without TLS.
 */
export function isAllowedWithoutTls(policy: AddressPolicy, address: string, isOperators: boolean): boolean {
  if (!isOperators || isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  return isWithin(parsed, policy.operatorNetworks) && isAllowedAddress(policy, address, isOperators);
}

/**
 * Parses the URL of a destination without resolving its host name: every connection checks the resolved addresses.
 *
 * @returns null if no event may be sent there
 */
export function readDestinationUrl(policy: AddressPolicy, text: string, isOperators: boolean): URL | null {
  const url = URL.parse(text);
  if (url === null || text.length > LONGEST_URL || url.href.length > LONGEST_URL) return null;
  const isPlain = url.protocol === 'http:';
  if (!isPlain && url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '' || text.includes('#')) return null;
  // The URL parser leaves out the usual port of a protocol.
  if (url.port !== '' && Number(url.port) < LOWEST_FREE_PORT) return null;
  const literal = literalOf(url);
  if (isPlain)
    return literal === null
      ? isOperators && policy.operatorNetworks.length > 0
        ? url
        : null
      : isAllowedWithoutTls(policy, literal, isOperators)
        ? url
        : null;
  if (literal === null) return url;
  const isListed =
    policy.testAddresses.includes(literal) ||
    (isOperators && isWithin(ipaddr.process(literal), policy.operatorNetworks));
  return isListed && isAllowedAddress(policy, literal, isOperators) ? url : null;
}

/**
 * Returns the address literal in a URL, or null for a host name. The URL parser has already converted other spellings
 * of an IPv4 address (`2130706433`, `0x7f.1`, `127.1`) into four decimal numbers.
 */
export function literalOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  return isIP(host) !== 0 ? ipaddr.process(host).toString() : null;
}

/**
 * Returns the host that a URL names: without its port, because one machine has many, and without the dot that a name
 * may end with.
 */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/\.$/, '');
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || address.toString() === AZURE_HOST) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/** The networks of the settings; every attempt compares its addresses with them. */
const parsedNetworks = new Map<string, [ipaddr.IPv4 | ipaddr.IPv6, number]>();

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly string[]): boolean {
  return networks.some((network) => {
    const [base, bits] = parsedNetworks.getOrInsertComputed(network, ipaddr.parseCIDR);
    return base.kind() === address.kind() && address.match([base, bits] as never);
  });
}
