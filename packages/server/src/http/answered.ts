/**
 * What came of each request, told in one place: every answer is told to an observer, whether an endpoint gave it, a
 * document, or the connection on which nothing could be read that is a request. The log is one observer; whoever counts
 * answers is another.
 */
import type { IncomingMessage } from 'node:http';
import { systemClock } from '../clock.ts';
import type { CallerNames } from '../endpoint/caller.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { canonicalAddress } from '../network-address.ts';
import { mintRequestId } from '../random.ts';
import { codeOf, type PublishedCode, type RefusalCode, statusOf } from '../refusals.ts';
import type { PeerOf } from './peer.ts';

/** A request that was answered. */
export interface AnsweredRequest {
  /** The answer's `X-Request-Id`. */
  readonly requestId: string;
  /** Null where the request line is not known. */
  readonly method: string | null;
  /** Without the query; null where the request line is not known. As the client wrote it: it may hold a secret. */
  readonly path: string | null;
  /** The endpoint that the path names; null where it names none. */
  readonly endpoint: Endpoint | null;
  readonly status: number;
  /** The code of a refusal, null for a success. */
  readonly code: PublishedCode | null;
  /**
   * From the end of the headers to the answer, in milliseconds and parts of them; null where the request was not read to
   * its end.
   */
  readonly durationMs: number | null;
  /** The client's network address, as far as it can be believed; null where it is not known. */
  readonly address: string | null;
  /** False where the connection was ended because the request could not be read to its end. */
  readonly isRead: boolean;
  /** Who asked, where the answer knows. */
  readonly caller?: CallerNames | undefined;
  /** Keys of licenses that were made or changed. */
  readonly changedLicenses?: readonly string[] | undefined;
  /** What was sent as the license key, whatever that is. */
  readonly licenseKey?: unknown;
  /** An unexpected failure, with its stack. */
  readonly failure?: string | undefined;
}

/** Hears of every answer, once, when it is sent. Must not throw. */
export type AnswerObserver = (answered: AnsweredRequest) => void;

/** A refusal that ended its connection. */
export interface EndedConnection {
  readonly refused: RefusalCode;
  readonly requestId: string;
  /** The request whose body did not come or was malformed; null where not even the headers were read. */
  readonly request: IncomingMessage | null;
  /** What the request line says, where it is known though the headers were not read. */
  readonly requestLine: RequestLine | null;
  /** The connection's other side, as the socket tells it. */
  readonly remoteAddress: string | undefined;
}

/** What a request line says. */
export interface RequestLine {
  readonly method: string;
  /** With its query. */
  readonly url: string;
}

/** What the observer of connections knows beside what it is told. */
export interface EndedConnectionParts {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly peerOf: PeerOf;
  readonly observe: AnswerObserver;
}

/** Tells an observer of refusals that ended their connection, in the same terms as of all others. */
export function observeEndedConnections({
  endpoints,
  peerOf,
  observe,
}: EndedConnectionParts): (ended: EndedConnection) => void {
  return ({ refused, requestId, request, requestLine, remoteAddress }) => {
    const line = request === null ? requestLine : { method: request.method ?? '', url: request.url ?? '/' };
    const path = line === null ? null : pathOf(line.url);
    const peer = request === null || path === null ? null : peerOf(request, path);
    observe({
      requestId,
      method: line?.method ?? null,
      path,
      endpoint: path === null ? null : (endpoints.get(path) ?? null),
      status: statusOf(refused),
      code: codeOf(refused),
      durationMs: null,
      address: peer === null || 'refused' in peer ? canonicalAddress(remoteAddress ?? '') : peer.address,
      isRead: false,
    });
  };
}

/** The path of a request's address, without its query. */
function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** The id of a request: its own, if it is one that a log can hold, else a new one. */
export function requestIdOf(request: IncomingMessage | null): string {
  const given = request?.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : mintRequestId(systemClock());
}

/** So much of what arrived is searched for a request line. */
const REQUEST_LINE_BYTES = 1024;

/** The request line that bytes begin with, or null: they may be anything. */
export function requestLineOf(bytes: Buffer): RequestLine | null {
  const text = bytes.toString('latin1', 0, REQUEST_LINE_BYTES);
  const [, method, url] = /^([A-Z]{1,20}) (\/[\x21-\x7e]*) HTTP\/1\.\d\r?\n/.exec(text) ?? [];
  return method === undefined || url === undefined ? null : { method, url };
}
