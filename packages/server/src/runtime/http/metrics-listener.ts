/**
 * The listener of the metrics port, which serves GET /metrics only. The port is separate so that clients of the service
 * cannot see the metrics, and so that a scrape is answered even while the service's calls are waiting.
 */
import type { ServerResponse } from 'node:http';
import { outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { callerRequestIdOf, newRequestId } from './answered.ts';
import { sendOutcome } from './answers.ts';
import type { Listener } from './connection-calls.ts';
import { isNamed } from './own-names.ts';
import type { PeerOf } from './peer.ts';

export const METRICS_PATH = '/metrics';

/** Dependencies of {@link createMetricsListener}. */
export interface MetricsListenerParts {
  /** The metrics as text. @throws (as a rejection) if they are unavailable */
  readonly scrape: () => Promise<string>;
  readonly contentType: string;
  readonly peerOf: PeerOf;
  /** The host names under which the metrics are currently served. Addresses are always allowed. */
  readonly names: () => Iterable<string>;
  /** Called when a scrape fails. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates the listener of the metrics server. A request during a scrape shares the result of that scrape. */
export function createMetricsListener(parts: MetricsListenerParts): Listener {
  const { scrape, contentType, peerOf, names, onFailure } = parts;
  let scraping: Promise<string> | undefined;
  const scrapeOnce = () => {
    scraping ??= scrape().finally(() => {
      scraping = undefined;
    });
    return scraping;
  };

  return (request, response) => {
    // The body is ignored but read to its end, so that the connection can carry the next request.
    request.resume();
    const requestId = callerRequestIdOf(request) ?? newRequestId();
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const refuseWith = (refusal: Refusal, headers: readonly string[] = []) =>
      sendOutcome(response, outcomeOfRefusal(refusal, 'success'), requestId, headers);
    const peer = peerOf(request, path);
    if ('refused' in peer) return refuseWith(peer);
    const { host, 'sec-fetch-site': page } = request.headers;
    if (page === 'cross-site' || !isNamed(host, names())) return refuseWith(refuse('metrics_host'));
    if (path !== METRICS_PATH) return refuseWith(refuse('not_found'));
    if (request.method !== 'GET') return refuseWith(refuse('method_not_allowed'), ['Allow', 'GET']);
    scrapeOnce().then(
      (text) => send(response, text, contentType, requestId),
      (error: unknown) => {
        onFailure(error);
        refuseWith(refuse('unexpected'));
      },
    );
  };
}

function send(response: ServerResponse, text: string, contentType: string, requestId: string): void {
  response.writeHead(200, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}
