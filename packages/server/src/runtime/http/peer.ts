/** The network address of the caller, directly or through a trusted proxy. */
import type { IncomingMessage } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { canonicalAddress, forwardedAddress, isIpv6, isLoopbackOrPrivate } from '../../ground/base/network-address.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';

/** The origin of a request. */
export interface Peer {
  /** The client's address in canonical form; null if no trustworthy source states it. */
  readonly address: string | null;
}

/**
 * Finds the client's address, or refuses a peer that may not connect in this way. `path` is the URL's path without the
 * query.
 */
export type PeerOf = (request: IncomingMessage, path: string) => Peer | Refusal;

/** Rules of {@link proxiedPeer}. */
export interface ProxyRules {
  readonly trusted: BlockList;
  /** The header that holds the client's address alone, in lower case; null: the last foreign hop counts. */
  readonly addressHeader: string | null;
  /**
   * Paths of health probes. Load balancers and supervisors send them on their own, without X-Forwarded-Proto and often
   * from an address other than the proxy's.
   */
  readonly probePaths: ReadonlySet<string>;
  /** Called for each request of a trusted proxy that is refused because it lacks X-Forwarded-Proto. */
  readonly onProtocolMissing: () => void;
}

/** Without a proxy, the client is the peer itself. */
export const directPeer: PeerOf = (request) => ({ address: addressOf(request) });

/**
 * Behind proxies that terminate TLS, plain HTTP is served only to those proxies, and only for requests that reached
 * them by HTTPS. The client is the last address in X-Forwarded-For that is not a proxy; anybody may have written the
 * entries before it. If the header has no such address, or an invalid one in its place, the client is unknown. A proxy
 * never counts as the client, because its clients would then share one count.
 *
 * A header named by the operator, such as CF-Connecting-IP, is read in place of X-Forwarded-For: it holds one address,
 * and the proxies in front overwrite it.
 *
 * A health probe without X-Forwarded-Proto is answered if it comes from a proxy, from this machine or from a private
 * network: it shows no credential, and its reply contains nothing worth reading on the way.
 */
export function proxiedPeer({ trusted, addressHeader, probePaths, onProtocolMissing }: ProxyRules): PeerOf {
  const isTrusted = isTrustedBy(trusted);
  return (request, path) => {
    const peer = addressOf(request);
    if (peer === null) return refuse('forbidden_peer');
    const isProxy = isTrusted(peer);
    const protocol = String(request.headers['x-forwarded-proto'] ?? '').trim();
    if (protocol === '' && probePaths.has(path) && (isProxy || isLoopbackOrPrivate(peer))) return { address: peer };
    if (!isProxy) return refuse('forbidden_peer');
    if (protocol === '') {
      onProtocolMissing();
      return refuse('forwarded_proto_missing');
    }
    const protocols = protocol.split(',');
    if (protocols.at(-1)?.trim().toLowerCase() !== 'https') return refuse('https_required');
    if (addressHeader !== null) return { address: forwardedAddress(String(request.headers[addressHeader] ?? '')) };
    const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
    for (let index = hops.length - 1; index >= 0; index -= 1) {
      const hop = forwardedAddress(hops[index] ?? '');
      if (hop === null || !isTrusted(hop)) return { address: hop };
    }
    return { address: null };
  };
}

/**
 * True if a request names no single `Host`: it has two, of which a proxy may read the other one, or lacks the one that
 * every version but 1.0 requires. The parser reports an incomplete request line as version 0.9.
 */
export function lacksOneHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== '1.0';
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] ?? '')) hosts += 1;
  return hosts > 1;
}

/** Compares the length first: a request has many headers. */
function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}

/** Returns a predicate for canonical addresses of trusted proxies; always false without any. */
export function isTrustedBy(trusted: BlockList | null): (address: string) => boolean {
  return (address) => trusted?.check(address, isIpv6(address) ? 'ipv6' : 'ipv4') === true;
}

/** Addresses of open connections: node's look-up of one takes half a microsecond in each request. */
const addresses = new WeakMap<Socket, string>();

function addressOf({ socket }: IncomingMessage): string | null {
  let address: string | null | undefined = addresses.get(socket);
  if (address === undefined) {
    address = canonicalAddress(socket.remoteAddress ?? '');
    if (address !== null) addresses.set(socket, address);
  }
  return address;
}
