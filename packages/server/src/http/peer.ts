/** Whom a request comes from, directly or through a trusted proxy. */
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { type Refusal, refuse } from '../refusals.ts';

/** Finds the client's address, or refuses a peer that may not speak to us in this way. */
export type PeerOf = (request: IncomingMessage) => { address: string } | Refusal;

/** Without a proxy: the peer itself. */
export const directPeer: PeerOf = (request) => ({ address: plainAddress(request.socket.remoteAddress ?? '') });

/**
 * Behind proxies that end TLS: plain HTTP is served to them only, and only for requests that reached them by HTTPS. The
 * client is the last address in X-Forwarded-For that is not one of the proxies: what stands before it, anybody may
 * have written.
 */
export function proxiedPeer(trusted: BlockList): PeerOf {
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    if (isIP(peer) === 0 || !isTrusted(peer)) return refuse('forbidden_peer');
    const protocols = String(request.headers['x-forwarded-proto'] ?? '').split(',');
    if (protocols.at(-1)?.trim().toLowerCase() !== 'https') return refuse('https_required');
    const hops = String(request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((hop) => plainAddress(hop.trim()))
      .filter((hop) => isIP(hop) !== 0);
    return { address: hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? peer };
  };
}

/** An IPv4 address that came mapped into IPv6 as what it is. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
