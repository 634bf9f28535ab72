/**
 * The path of an HTTP request, step by step: peer, route, body, query, credential, admission, fields, dispatch, answer.
 * A step lets the request pass or answers it with a refusal. All paths of endpoints are fixed and their bodies are
 * JSON, so no framework is needed (docs/contributors/decisions/0002).
 */

import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { type Site, VisitorLeft } from '../../platform/sites/site.ts';
import { outcomeOfFailure } from '../dispatch/action.ts';
import { pathOf } from './answered.ts';
import { MAX_JSON_BYTES, readBody } from './body.ts';
import type { Listener } from './connection-calls.ts';
import { type EndpointCallParts, endpointCalls } from './endpoint-call.ts';
import { Exchange, type ExchangeParts } from './exchange.ts';
import { lacksOneHost, type PeerOf } from './peer.ts';
import { allows, routesOf } from './route.ts';

/** Dependencies of {@link createListener}. */
export interface ListenerParts extends ExchangeParts, EndpointCallParts {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The sites, which answer all other paths, in the order in which they are asked. */
  readonly sites: readonly Site[];
  readonly peerOf: PeerOf;
  /** False without the console: no console session counts then. */
  readonly takesSessions: boolean;
}

/** Creates the listener of a node:http or node:https server. */
export function createListener(parts: ListenerParts): Listener {
  const { sites, peerOf } = parts;
  const routes = routesOf(parts.endpoints, parts.takesSessions);
  const callEndpoint = endpointCalls(parts);

  return (request, response) => {
    takeOriginForm(request);
    parts.prefix?.takeOff(request);
    const path = pathOf(request.url ?? '/');
    const peer = peerOf(request, path);
    const route = routes.get(path);
    const exchange = new Exchange(parts, request, response, path, peer, route?.endpoint ?? null);
    if ('refused' in peer) return exchange.refuse(peer);
    if (lacksOneHost(request)) return exchange.refuse(refuse('malformed_http'));
    if (route === undefined) return void visit(sites, exchange);
    request.mayBeLong = route.mayBeLong;
    if (!allows(route, exchange.method)) {
      if (!exchange.answerPreflight()) exchange.refuseCall(refuse('method_not_allowed'), ['Allow', route.allow]);
      return;
    }
    readBody(request, MAX_JSON_BYTES, (body) => callEndpoint(exchange, route, body));
  };
}

/** Lets the site that has the path answer. */
async function visit(sites: readonly Site[], exchange: Exchange): Promise<void> {
  const { request, response, path } = exchange;
  request.mayBeLong = true;
  const site = sites.find((each) => each.has(path));
  if (site === undefined) return exchange.refuse(refuse('not_found'));
  try {
    await site.answer(exchange);
  } catch (error) {
    if (error instanceof VisitorLeft) return;
    // Half an answer cannot be taken back.
    if (response.headersSent) request.socket.destroy();
    else exchange.answer(outcomeOfFailure(error, { flag: 'success' }));
  } finally {
    exchange.endVisit();
  }
}

/**
 * Turns the absolute form of a request line into the usual one. Its authority counts instead of the header `Host` (RFC
 * 9112, 3.2.2).
 */
function takeOriginForm(request: IncomingMessage): void {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(request.url ?? '/') ?? [];
  if (authority === undefined) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = authority;
}
