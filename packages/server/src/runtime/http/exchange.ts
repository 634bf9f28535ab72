/** A request and its answer: the step that every other step ends in. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type Clock, elapsedMs } from '../../ground/base/clock.ts';
import { canonicalAddress } from '../../ground/base/network-address.ts';
import { gatherEachTick } from '../../ground/base/tick.ts';
import type { Endpoint, RequestContext } from '../../platform/endpoint/endpoint.ts';
import type { CallEndpoint } from '../../platform/endpoint/inner.ts';
import { MAX_CHANGED_NAMED, type Outcome, outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { codeOf, type Refusal } from '../../platform/endpoint/refusals.ts';
import type { DocumentText, SiteAnswer } from '../../platform/sites/answer.ts';
import { type ExpectedBody, type Visit, VisitorLeft } from '../../platform/sites/site.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { Dispatcher } from '../dispatch/call.ts';
import { callsInside } from '../dispatch/inner-call.ts';
import type { ReadForVisitor } from '../dispatch/queued-work.ts';
import type { Admission } from './admission.ts';
import { type AnswerObserver, callerRequestIdOf, newRequestId } from './answered.ts';
import { sendDocument, sendEmpty, sendOutcome, sendSiteAnswer } from './answers.ts';
import { type ReceivedRequest, readBody } from './body.ts';
import type { Cors } from './cors.ts';
import type { CountryOf } from './countries.ts';
import type { PathPrefix } from './path-prefix.ts';
import type { Peer } from './peer.ts';
import { readQuery } from './query.ts';
import type { UnsentAnswers } from './unsent-answers.ts';

/** Dependencies of an {@link Exchange}. */
export interface ExchangeParts {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly cors: Cors;
  readonly countryOf: CountryOf;
  readonly dispatcher: Dispatcher;
  /** Called for every answer. */
  readonly observe: AnswerObserver;
  /** Null where the service is at the root of its host. */
  readonly prefix: PathPrefix | null;
  /** Reads for the visitors of sites. */
  readonly readForVisitor: ReadForVisitor;
  /** Counts unsent answer bytes. */
  readonly unsent: UnsentAnswers;
}

/** Facts for the log about an answer beside its status. */
type FactsForLog = { readonly [Name in 'failure' | 'caller' | 'changedLicenses']?: Outcome[Name] | undefined };

/** Names the service's own id of a request where `X-Request-Id` repeats the caller's. */
const OWN_ID_HEADER = 'Latchkey-Request-Id';
const NO_HEADERS: readonly string[] = [];
const NO_FACTS: FactsForLog = {};

/**
 * Sends all answers of one tick of the event loop together at its end. Reading all requests before writing any answer
 * has a higher throughput than answering each request on arrival (0.93 against 0.80 of a bare server, on /verify),
 * because the peer is woken once instead of once per answer.
 */
const sendAtTickEnd = gatherEachTick<() => void>((leaving) => {
  for (const send of leaving) send();
});

/** One request of a connection, from the end of its headers until its answer is sent. */
export class Exchange implements Visit {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  readonly url: string;
  readonly path: string;
  readonly method: string;
  readonly address: string | null;
  readonly #parts: ExchangeParts;
  /** The endpoint at the path; null if none. */
  readonly #endpoint: Endpoint | null;
  readonly #startedAt = elapsedMs();
  readonly #requestId = newRequestId();
  readonly #callerRequestId: string | null;
  /** Headers of the answer, alternating names and values. */
  #added = NO_HEADERS;
  #isCounted = false;
  /** Facts for the log about the calls that a site made. */
  #ofCalls = NO_FACTS;

  constructor(
    parts: ExchangeParts,
    request: ReceivedRequest,
    response: ServerResponse,
    path: string,
    peer: Peer | Refusal,
    endpoint: Endpoint | null,
  ) {
    this.#parts = parts;
    this.request = request;
    this.response = response;
    this.url = request.url ?? '/';
    this.path = path;
    this.method = request.method ?? '';
    this.address = 'refused' in peer ? canonicalAddress(request.socket.remoteAddress ?? '') : peer.address;
    this.#endpoint = endpoint;
    this.#callerRequestId = callerRequestIdOf(request);
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get headersDistinct(): NodeJS.Dict<string[]> {
    return this.request.headersDistinct;
  }

  /** The id that the answer repeats. */
  get #shownId(): string {
    return this.#callerRequestId ?? this.#requestId;
  }

  /** The facts that rules get. `now` in milliseconds since 1970. */
  requestContext(now: number): RequestContext {
    const { address } = this;
    return { requestId: this.#requestId, now, country: this.#parts.countryOf(address, this.headers), address };
  }

  readQuery(): ReturnType<typeof readQuery> {
    return readQuery(this.url, this.path.length);
  }

  /** Adds a header to the answer of a call, whatever its outcome. */
  addHeader(name: string, value: string): void {
    this.#added = [...this.#added, name, value];
  }

  /**
   * Answers at the end of the tick.
   *
   * @param headers additional headers, alternating names and values
   * @param licenseKey the unvalidated value sent as the license key, for the log
   */
  answer(outcome: Outcome, headers: readonly string[] = NO_HEADERS, licenseKey?: unknown): void {
    sendAtTickEnd(() => {
      const { request } = this;
      // The input after the headers was malformed, and the connection has already ended with a reply that says so.
      if (!request.complete && !request.socket.writable) return;
      const ofPage = this.#corsHeaders();
      const own = this.#callerRequestId === null ? NO_HEADERS : [OWN_ID_HEADER, this.#requestId];
      const added = this.#added;
      const more =
        ofPage.length + own.length + added.length === 0 ? headers : [...ofPage, ...own, ...added, ...headers];
      sendOutcome(this.response, outcome, this.#shownId, this.#prefixed(more), this.#parts.unsent, this.address);
      this.#tell(this.#ofCalls === NO_FACTS ? outcome : { ...this.#ofCalls, ...outcome }, licenseKey);
    });
  }

  /** Refuses a request before its endpoint has a say, or at a path without one. */
  refuse(refusal: Refusal, headers?: readonly string[]): void {
    this.answer(outcomeOfRefusal(refusal, 'success'), headers);
  }

  /** Refuses a call in the form of its endpoint. */
  refuseCall(refusal: Refusal, headers?: readonly string[]): void {
    this.answer(outcomeOfRefusal(refusal, this.#endpoint?.flag ?? 'success'), headers);
  }

  answerPreflight(): boolean {
    const headers = this.#parts.cors.preflightHeadersFor(this.request, this.path, this.#endpoint);
    if (headers === null) return false;
    sendEmpty(this.response, this.#shownId, headers);
    this.#tell({ status: 204 });
    return true;
  }

  async readBody({ contentType, maxBytes }: ExpectedBody): Promise<Buffer | 'otherType' | 'tooLarge'> {
    if (this.#isCounted) throw new Error('a site reads the body before it counts the request');
    const [given = ''] = (this.headers['content-type'] ?? '').split(';', 1);
    if (contentType !== null && given.trim().toLowerCase() !== contentType) return 'otherType';
    const body = await new Promise<Buffer | null>((resolve, reject) => {
      this.request.once('close', () => reject(new VisitorLeft()));
      readBody(this.request, maxBytes, resolve);
    });
    return body ?? 'tooLarge';
  }

  countAsCall(): Refusal | null {
    const refusal = this.#parts.admission.enter(this.address);
    this.#isCounted = refusal === null;
    return refusal;
  }

  /** Ends a visit whose site has done its work. */
  endVisit(): void {
    if (this.#isCounted) this.#parts.admission.leave(this.address, this.response);
  }

  read<Found>(look: (sql: Sql) => Promise<Found>): Promise<{ readonly found: Found } | Refusal> {
    return this.#parts.readForVisitor(this.address, look);
  }

  get call(): CallEndpoint {
    const { clock, dispatcher } = this.#parts;
    return callsInside(
      dispatcher,
      () => this.requestContext(clock()),
      (outcome) => {
        const known = this.#ofCalls;
        const changed = [...(known.changedLicenses ?? []), ...(outcome.changedLicenses ?? [])];
        this.#ofCalls = {
          // A page may hide a failure: one without its brand is plain.
          failure: known.failure ?? outcome.failure,
          caller: known.caller ?? outcome.caller,
          changedLicenses: changed.length === 0 ? undefined : changed.slice(0, MAX_CHANGED_NAMED),
        };
      },
    );
  }

  send(answer: SiteAnswer): void {
    const { prefix } = this.#parts;
    sendSiteAnswer(
      this.response,
      prefix === null ? answer : prefix.answer(answer),
      this.#shownId,
      this.#parts.unsent,
      this.address,
    );
    this.#tell({ ...this.#ofCalls, ...answer });
  }

  async sendDocument(document: DocumentText): Promise<void> {
    const { response, address } = this;
    const { unsent, prefix } = this.#parts;
    const sent = prefix === null ? document : await prefix.document(document);
    const status = sendDocument(response, sent, this.#shownId, this.#corsHeaders(), unsent, address);
    this.#tell({ status });
  }

  sendOutcome(outcome: Outcome, headers: readonly string[] = NO_HEADERS): void {
    sendOutcome(this.response, outcome, this.#shownId, this.#prefixed([...this.#corsHeaders(), ...headers]));
    this.#tell({ ...this.#ofCalls, ...outcome });
  }

  #prefixed(headers: readonly string[]): readonly string[] {
    const { prefix } = this.#parts;
    return prefix === null ? headers : prefix.headers(headers);
  }

  #corsHeaders(): readonly string[] {
    return this.#parts.cors.headersFor(this.request, this.path, this.#endpoint);
  }

  #tell(outcome: Pick<Outcome, 'status' | 'refused'> & FactsForLog, licenseKey?: unknown): void {
    this.#parts.observe({
      requestId: this.#requestId,
      callerRequestId: this.#callerRequestId,
      method: this.method,
      path: this.path,
      endpoint: this.#endpoint,
      status: outcome.status,
      code: outcome.refused === undefined ? null : codeOf(outcome.refused),
      durationMs: elapsedMs() - this.#startedAt,
      address: this.address,
      isRead: true,
      licenseKey,
      caller: outcome.caller,
      changedLicenses: outcome.changedLicenses,
      failure: outcome.failure,
    });
  }
}
