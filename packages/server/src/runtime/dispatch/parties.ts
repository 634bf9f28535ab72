/**
 * The parties that take turns in the queue of other work (rules 10.2). The queue names the party of a call before
 * storage identifies its caller, so the owner of a key or of a session is known from the outcome of an earlier call.
 */
import { LRUCache } from 'lru-cache';
import { networksOf } from '../../ground/base/network-address.ts';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import type { Outcome } from '../../platform/endpoint/outcome.ts';
import type { Actor } from '../../platform/events/event.ts';
import type { Call } from './call.ts';

/** A party of the queue: all calls of a creator, or all calls of a network that nobody else accounts for. */
export interface Party {
  /** `operator`, `storefront`, `service`, `creator:` and the creator's id, or `network ` and its name. */
  readonly name: string;
  /** True if its calls begin before those of all creators and networks. */
  readonly goesAhead: boolean;
}

const OPERATOR: Party = { name: 'operator', goesAhead: true };
const STOREFRONT: Party = { name: 'storefront', goesAhead: true };
/** Jobs and senders, which are few and wait for nobody's request. */
export const SERVICE: Party = { name: 'service', goesAhead: true };

/** Parties by the names that outcomes and inner endpoints give to callers. */
const AHEAD: Readonly<Record<string, Party>> = { operator: OPERATOR, storefront: STOREFRONT, service: SERVICE };

/** Number of credentials whose owner is remembered. */
const CREDENTIALS_KEPT = 10_000;

/** The party of a network: an IPv4 address, or the /48 of an IPv6 address, whose holder has 65,536 smaller networks. */
export function partyOfNetwork(address: string | null): Party {
  const [network] = address === null ? [] : networksOf(address);
  return { name: `network ${network?.name ?? 'unknown'}`, goesAhead: false };
}

/** Knows the party of each call. */
export class Parties {
  /** Owners by the hash of their key or session. */
  readonly #owners = new LRUCache<string, Party>({ max: CREDENTIALS_KEPT });

  of(call: Call, endpoint: Pick<Endpoint, 'actor'>): Party {
    const { credential } = call;
    if (credential.kind === 'admin') return OPERATOR;
    if (credential.kind === 'webhook') return STOREFRONT;
    if (credential.kind === 'apiKey' && credential.beside !== 'none')
      return credential.beside === 'admin' ? OPERATOR : STOREFRONT;
    const name = nameOf(call);
    const owner = name === null ? AHEAD[actorInside(call, endpoint)?.kind ?? ''] : this.#owners.get(name);
    return owner ?? partyOfNetwork(call.requestContext.address);
  }

  /** Remembers or forgets the owner of a call's credential by the outcome of the call. */
  learn(call: Call, { refused, caller }: Pick<Outcome, 'refused' | 'caller'>): void {
    const name = nameOf(call);
    if (name === null) return;
    if (caller !== undefined) this.#owners.set(name, AHEAD[caller.actor] ?? { name: caller.actor, goesAhead: false });
    else if (refused === 'unauthorized') this.#owners.delete(name);
  }
}

/** The name of a credential whose owner only storage knows; null for other credentials. */
function nameOf({ credential }: Call): string | null {
  if (credential.kind === 'apiKey') return credential.hash;
  return credential.kind === 'session' ? credential.sessionId : null;
}

/** The author whom an inner endpoint names, such as the storefront for the report of a seller. */
function actorInside({ read }: Call, { actor }: Pick<Endpoint, 'actor'>): Actor | undefined {
  if (typeof actor !== 'function') return actor;
  return 'fields' in read ? actor(read.fields) : undefined;
}
