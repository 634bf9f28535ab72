/**
 * The path of an HTTP request: route and method, body, credential, fields, dispatcher, reply, observer. All paths are
 * fixed and all bodies are JSON, so no framework is needed (docs/decisions/0002).
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Clock, elapsedMs } from '../base/clock.ts';
import { canonicalAddress } from '../base/network-address.ts';
import { type Dispatcher, type Idempotency, type Outcome, outcomeOfRefusal } from '../dispatch/call.ts';
import { isLookedUp, namesOfSecret } from '../endpoint/caller.ts';
import { type Endpoint, hasSafeRetries, isQueuedWork, type Method } from '../endpoint/endpoint.ts';
import { type FieldReader, fieldReader } from '../endpoint/fields.ts';
import { codeOf, type Refusal, refuse } from '../endpoint/refusals.ts';
import { takesSessions } from '../endpoint/roles.ts';
import type { Admission } from './admission.ts';
import { type AnswerObserver, callerRequestIdOf, newRequestId } from './answered.ts';
import { type DocumentText, sendDocument, sendEmpty, sendOutcome, sendRedirect } from './answers.ts';
import { parseBody, readBody } from './body.ts';
import type { Listener } from './connection-calls.ts';
import { cookieAfter, mintCookie } from './console-cookie.ts';
import type { Cors } from './cors.ts';
import type { CountryOf } from './countries.ts';
import { readCredential, type SecretDigests } from './credentials.ts';
import { flushAtTickEnd } from './flush-at-tick-end.ts';
import type { PeerOf } from './peer.ts';
import { readQuery } from './query.ts';
import { SessionUse } from './session-use.ts';
import { type StaticFiles, sendFile } from './static-files.ts';
import type { UnsentAnswers } from './unsent-answers.ts';

/**
 * A document served by GET besides the endpoints: health, the description, the reference page, and the redirect to it.
 */
export type Document = () =>
  | DocumentText
  | { readonly location: string }
  | Promise<DocumentText | Pick<Outcome, 'status' | 'body' | 'refused' | 'retryAfterSeconds'>>;

/** Dependencies of {@link createListener}. */
export interface ListenerParts {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly documents: ReadonlyMap<string, Document>;
  readonly dispatcher: Dispatcher;
  readonly secrets: SecretDigests;
  readonly countryOf: CountryOf;
  readonly clock: Clock;
  /** Called for every reply that the listener sends. */
  readonly observe: AnswerObserver;
  readonly peerOf: PeerOf;
  readonly admission: Admission;
  /** Counts unsent reply bytes. */
  readonly unsent: UnsentAnswers;
  readonly cors: Cors;
  /** The files of the console; null if there is none, and then no session counts. */
  readonly console: StaticFiles | null;
}

interface Route {
  readonly endpoint: Endpoint;
  readonly readFields: FieldReader;
  readonly allow: string;
  /** True if the endpoint accepts console sessions, begins one, or may end one. */
  readonly takesSessions: boolean;
  readonly beginsSession: boolean;
  readonly setsCookie: boolean;
  /** True if its replies may be long; true for reads such as lists. */
  readonly mayBeLong: boolean;
}

/** Names the service's own id of a request where `X-Request-Id` repeats the caller's. */
const OWN_ID_HEADER = 'Latchkey-Request-Id';
const NO_HEADERS: readonly string[] = [];

/** Creates the listener of a node:http or node:https server. */
export function createListener(parts: ListenerParts): Listener {
  const routes = new Map<string, Route>();
  for (const endpoint of parts.endpoints.values())
    routes.set(endpoint.path, {
      endpoint,
      readFields: fieldReader(endpoint.fields, endpoint.missing),
      allow: endpoint.methods.join(', '),
      takesSessions: parts.console !== null && takesSessions(endpoint),
      beginsSession: parts.console !== null && endpoint.access === 'signIn',
      setsCookie: endpoint.access === 'signIn' || endpoint.endsSession === true,
      mayBeLong: isQueuedWork(endpoint) && endpoint.work.kind === 'read',
    });
  const { cors } = parts;
  const sessionUse = new SessionUse(parts.dispatcher);
  const sendAtTickEnd = flushAtTickEnd();

  return (request, response) => {
    const startedAt = elapsedMs();
    const requestId = newRequestId();
    const callerRequestId = callerRequestIdOf(request);
    const shownId = callerRequestId ?? requestId;
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const route = routes.get(path);
    const method = request.method ?? '';

    const peer = parts.peerOf(request, path);
    const address = 'refused' in peer ? canonicalAddress(request.socket.remoteAddress ?? '') : peer.address;

    const tell = (
      outcome: Pick<Outcome, 'status' | 'refused' | 'failure' | 'caller' | 'changedLicenses'>,
      licenseKey?: unknown,
    ) =>
      parts.observe({
        requestId,
        callerRequestId,
        method,
        path,
        endpoint: route?.endpoint ?? null,
        status: outcome.status,
        code: outcome.refused === undefined ? null : codeOf(outcome.refused),
        durationMs: elapsedMs() - startedAt,
        address,
        isRead: true,
        licenseKey,
        caller: outcome.caller,
        changedLicenses: outcome.changedLicenses,
        failure: outcome.failure,
      });
    const answer = (outcome: Outcome, headers: readonly string[] = [], licenseKey?: unknown) =>
      sendAtTickEnd(() => {
        // The input after the headers was malformed, and the connection has already ended with a reply that says so.
        if (!request.complete && !request.socket.writable) return;
        const ofPage = cors.headersFor(request, path, route?.endpoint);
        const own = callerRequestId === null ? NO_HEADERS : [OWN_ID_HEADER, requestId];
        const more = ofPage.length + own.length === 0 ? headers : [...ofPage, ...own, ...headers];
        sendOutcome(response, outcome, shownId, more, parts.unsent, address);
        tell(outcome, licenseKey);
      });
    const refuseWith = (refusal: Refusal, flag: Endpoint['flag'] = 'success', headers?: readonly string[]) =>
      answer(outcomeOfRefusal(refusal, flag), headers);

    if ('refused' in peer) return refuseWith(peer);
    // Every version but 1.0 requires a Host. The parser reports an incomplete request line as version 0.9.
    if (request.headers.host === undefined && request.httpVersion !== '1.0')
      return refuseWith(refuse('malformed_http'));
    const preflight = cors.preflightHeadersFor(request, path, route?.endpoint);
    if (preflight !== null && (route !== undefined || parts.documents.has(path))) {
      sendEmpty(response, shownId, preflight);
      return tell({ status: 204 });
    }
    if (route === undefined) {
      request.mayBeLong = true;
      const file = parts.console?.answer(path, method, request.headers);
      if (file !== undefined && file !== null) {
        const busy = parts.admission.beginDocument(peer.address, response);
        return busy === null ? tell(sendFile(response, file, shownId, parts.unsent, address)) : refuseWith(busy);
      }
      const document = parts.documents.get(path);
      if (document === undefined) return refuseWith(refuse('not_found'));
      if (method !== 'GET' && method !== 'HEAD')
        return refuseWith(refuse('method_not_allowed'), 'success', ['Allow', 'GET, HEAD']);
      const asked = readQuery(url, mark);
      if ('refused' in asked) return refuseWith(asked);
      const sendPage = async () => {
        const page = await document();
        const isCounted = 'contentType' in page && !page.isForApps;
        const busy = isCounted ? parts.admission.beginDocument(peer.address, response) : null;
        if (busy !== null) return refuseWith(busy);
        const more = cors.headersFor(request, path, undefined);
        if ('location' in page) return tell({ status: sendRedirect(response, page.location, shownId) });
        if ('contentType' in page) {
          sendDocument(response, page, shownId, more, parts.unsent, address);
          return tell({ status: 200 });
        }
        sendOutcome(response, page, shownId, more);
        tell(page);
      };
      return void sendPage();
    }
    const { endpoint } = route;
    request.mayBeLong = route.mayBeLong;
    if (!endpoint.methods.includes(method as Method))
      return refuseWith(refuse('method_not_allowed'), endpoint.flag, ['Allow', route.allow]);

    readBody(request, (text, refusal) => {
      if (refusal) return refuseWith(refusal, endpoint.flag);
      const parsed = parseBody(method === 'GET' ? '' : text);
      if ('refusal' in parsed) return refuseWith(parsed.refusal, endpoint.flag);
      const body = parsed.record;
      const asked = readQuery(url, mark);
      if ('refused' in asked) return refuseWith(asked, endpoint.flag);
      const { query } = asked;
      const { headers } = request;
      const newCookie = route.beginsSession ? mintCookie() : null;
      const shown = readCredential(
        endpoint.access,
        {
          method: method as Method,
          headers,
          body,
          query,
          acceptsBodySecret: endpoint.acceptsBodySecret ?? false,
          takesSessions: route.takesSessions,
          newSessionId: newCookie?.sessionId ?? null,
        },
        parts.secrets,
      );
      const now = parts.clock();
      const { credential } = shown;
      const admissionRequest = isQueuedWork(endpoint) ? { address: peer.address, endpoint, shown } : null;
      const notAdmitted = admissionRequest === null ? null : parts.admission.refusalFor(admissionRequest);
      if (notAdmitted !== null) return refuseWith(notAdmitted, endpoint.flag);
      const read =
        method === 'POST'
          ? route.readFields(body, 'body')
          : route.readFields(method === 'GET' ? query : { ...query, ...body }, 'query');
      if ('refusal' in read && !isLookedUp(credential)) {
        const caller = namesOfSecret(credential);
        return answer({
          ...outcomeOfRefusal(read.refusal, endpoint.flag),
          ...(caller === undefined ? {} : { caller }),
        });
      }
      const idempotency = method === 'POST' && hasSafeRetries(endpoint) ? idempotencyOf(request, url, text) : null;
      if (idempotency !== null && 'refused' in idempotency) return refuseWith(idempotency, endpoint.flag);
      const settle = admissionRequest === null ? null : parts.admission.begin(admissionRequest, response);
      if (settle !== null && 'refused' in settle) return refuseWith(settle, endpoint.flag);
      const country = parts.countryOf(peer.address, headers);
      const requestContext = { requestId, now, country, address: peer.address };
      const call = { path, credential, read, requestContext, idempotency };
      const finish = (outcome: Outcome) => {
        const settled = settle === null ? outcome : settle(outcome);
        const cookie = route.setsCookie ? cookieAfter(endpoint, settled, { body, credential, newCookie }) : undefined;
        answer(settled, cookie, 'fields' in read ? read.fields.licenseKey : undefined);
      };
      if (credential.kind !== 'session') return parts.dispatcher.dispatch(call, finish);
      parts.dispatcher.dispatch(call, (outcome) => {
        sessionUse.note(call, endpoint.work, outcome);
        finish(outcome);
      });
    });
  };
}

/** The Idempotency-Key with a hash of the request, so that the key cannot be reused for a different one. */
function idempotencyOf(request: IncomingMessage, url: string, body: string): Idempotency | Refusal | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || key === '') return null;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    return refuse('invalid_field', {
      details: { message: 'Idempotency-Key must be 1 to 255 visible ASCII characters' },
    });
  return { key, requestHash: createHash('sha256').update(`${url}\n${body}`).digest('base64url') };
}
