/**
 * Reports every reply to an observer, whether it came from an endpoint, a document, or a connection that carried no
 * readable request. The log is one observer, the counter of replies another.
 */
import type { IncomingMessage } from 'node:http';
import { systemClock } from '../../ground/base/clock.ts';
import { canonicalAddress } from '../../ground/base/network-address.ts';
import { mintRequestId } from '../../ground/base/random.ts';
import type { CallerNames } from '../../platform/endpoint/caller.ts';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import { codeOf, type PublishedCode, type RefusalCode, statusOf } from '../../platform/endpoint/refusals.ts';
import type { PeerOf } from './peer.ts';

export interface AnsweredRequest {
  /** The service's own id of the request. */
  readonly requestId: string;
  /** The `X-Request-Id` of the caller, which the answer repeats; null without one that a log can hold. */
  readonly callerRequestId: string | null;
  /** Null when the request line is unknown. */
  readonly method: string | null;
  /**
   * Path without the query, exactly as the client sent it, so it may contain a secret. Null when the request line is
   * unknown.
   */
  readonly path: string | null;
  /** The endpoint at this path; null if none. */
  readonly endpoint: Endpoint | null;
  readonly status: number;
  /** The code of a refusal; null on success. */
  readonly code: PublishedCode | null;
  /** Fractional milliseconds from the end of the headers to the reply; null if the request was not read completely. */
  readonly durationMs: number | null;
  /** The client's network address, as far as it is trustworthy; null when unknown. */
  readonly address: string | null;
  /** False if the connection was ended because the request could not be read completely. */
  readonly isRead: boolean;
  /** The caller, if the reply identifies one. */
  readonly caller?: CallerNames | undefined;
  /** Keys of licenses that were created or changed. */
  readonly changedLicenses?: readonly string[] | undefined;
  /** The unvalidated value sent as the license key. */
  readonly licenseKey?: unknown;
  /** An unexpected failure, with its stack. */
  readonly failure?: string | undefined;
}

/** Called once for each reply, when it is sent. Must not throw. */
export type AnswerObserver = (answered: AnsweredRequest) => void;

/** A refusal that ended its connection. */
export interface EndedConnection {
  readonly refused: RefusalCode;
  readonly requestId: string;
  readonly callerRequestId: string | null;
  /** The request whose body was missing or malformed; null if not even the headers were read. */
  readonly request: IncomingMessage | null;
  /** The request line, if it is known although the headers were not read. */
  readonly requestLine: RequestLine | null;
  /** The peer's address as the socket reports it. */
  readonly remoteAddress: string | undefined;
}

export interface RequestLine {
  readonly method: string;
  /** Includes the query. */
  readonly url: string;
}

/** Dependencies of {@link observeEndedConnections}. */
export interface EndedConnectionParts {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly peerOf: PeerOf;
  readonly observe: AnswerObserver;
}

/** Reports refusals that ended their connection to an observer, in the same form as all other replies. */
export function observeEndedConnections({
  endpoints,
  peerOf,
  observe,
}: EndedConnectionParts): (ended: EndedConnection) => void {
  return ({ refused, requestId, callerRequestId, request, requestLine, remoteAddress }) => {
    const line = request === null ? requestLine : { method: request.method ?? '', url: request.url ?? '/' };
    const path = line === null ? null : pathOf(line.url);
    const peer = request === null || path === null ? null : peerOf(request, path);
    observe({
      requestId,
      callerRequestId,
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
export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** A new id for a request: its records are found by this one, which no caller chooses. */
export function newRequestId(): string {
  return mintRequestId(systemClock());
}

/** The id that a caller gave its request, if it is one that a log can hold; else null. */
export function callerRequestIdOf(request: IncomingMessage | null): string | null {
  const given = request?.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : null;
}

/** The part of the received bytes that is searched for a request line. */
const REQUEST_LINE_BYTES = 1024;

/** The request line at the start of arbitrary bytes; null if none. */
export function requestLineOf(bytes: Buffer): RequestLine | null {
  const text = bytes.toString('latin1', 0, REQUEST_LINE_BYTES);
  const [, method, url] = /^([A-Z]{1,20}) (\/[\x21-\x7e]*) HTTP\/1\.\d\r?\n/.exec(text) ?? [];
  return method === undefined || url === undefined ? null : { method, url };
}
