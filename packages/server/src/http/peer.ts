/** The network address of the caller, directly or through a trusted proxy. */
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { canonicalAddress, forwardedAddress, isIpv6, isLoopbackOrPrivate } from '../network-address.ts';
import { type Refusal, refuse } from '../refusals.ts';

/** Where a request comes from. */
export interface Peer {
  /** The client's address in its one spelling; null where nothing that can be believed says it. */
  readonly address: string | null;
}

/** Finds the client's address, or refuses a peer that may not speak to us in this way. `path` is the URL's, without a query. */
export type PeerOf = (request: IncomingMessage, path: string) => Peer | Refusal;

/** What {@link proxiedPeer} goes by. */
export interface ProxyRules {
  /** The proxies. */
  readonly trusted: BlockList;
  /**
   * Paths of health probes. Load balancers and supervisors send these by themselves, beside what they forward: without
   * X-Forwarded-Proto, and often from another address than the proxy's.
   */
  readonly probePaths: ReadonlySet<string>;
  /** Called for each request of a trusted proxy that is refused because it does not say how the client sent it. */
  readonly onProtocolMissing: () => void;
}

/** Without a proxy: the peer itself. */
export const directPeer: PeerOf = (request) => ({ address: addressOf(request) });

/**
 * Behind proxies that end TLS: plain HTTP is served to them only, and only for requests that reached them by HTTPS. The
 * client is the last address in X-Forwarded-For that is not one of the proxies: what stands before it, anybody may
 * have written. Where the header ends before such an address, or something stands there that is no address, nobody knows
 * the client; it is never one of the proxies, so that what counts clients does not count all of theirs as one.
 *
 * A health probe without X-Forwarded-Proto is answered where it comes from a proxy, from this machine or from a private
 * network: it shows no credential and its answer holds nothing that could be read on the way.
 */
export function proxiedPeer({ trusted, probePaths, onProtocolMissing }: ProxyRules): PeerOf {
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
    const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
    for (let index = hops.length - 1; index >= 0; index -= 1) {
      const hop = forwardedAddress(hops[index] ?? '');
      if (hop === null || !isTrusted(hop)) return { address: hop };
    }
    return { address: null };
  };
}

/** Whether an address, in its one spelling, is a trusted proxy's; none is where there are none. */
export function isTrustedBy(trusted: BlockList | null): (address: string) => boolean {
  return (address) => trusted?.check(address, isIpv6(address) ? 'ipv6' : 'ipv4') === true;
}

function addressOf(request: IncomingMessage): string | null {
  return canonicalAddress(request.socket.remoteAddress ?? '');
}
