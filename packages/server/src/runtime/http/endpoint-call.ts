/** A call of an endpoint, from its body to its outcome: body, query, credential, admission, fields, dispatch. */
import { mintCookie } from '../../access/console/cookie.ts';
import type { Clock } from '../../ground/base/clock.ts';
import { isLookedUp, namesOfSecret } from '../../platform/endpoint/caller.ts';
import { hasSafeRetries, type Method } from '../../platform/endpoint/endpoint.ts';
import { type Outcome, outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { outcomeOfFailure } from '../dispatch/action.ts';
import type { Dispatcher } from '../dispatch/call.ts';
import type { Admission } from './admission.ts';
import { parseRecord, textOfBody } from './body.ts';
import { cookieAfter } from './console-cookie.ts';
import { readCredential, type SecretDigests } from './credentials.ts';
import type { Exchange } from './exchange.ts';
import { readIdempotency } from './idempotency-key.ts';
import { IGNORED_FIELDS_HEADER, ignoredFields } from './ignored-fields.ts';
import type { Route } from './route.ts';
import { SessionUse } from './session-use.ts';

/** Dependencies of {@link endpointCalls}. */
export interface EndpointCallParts {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  /** Runs the calls of endpoints that report facts about the node. */
  readonly tellingDispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly secrets: SecretDigests;
}

/** Calls the endpoint of a route. The body is null if it was too large. */
export type CallEndpoint = (exchange: Exchange, route: Route, received: Buffer | null) => void;

/** A step that throws is answered 500. Otherwise the error would end the process, and one request could stop it. */
export function endpointCalls(parts: EndpointCallParts): CallEndpoint {
  const callEndpoint = uncaughtCalls(parts);
  return (exchange, route, received) => {
    try {
      callEndpoint(exchange, route, received);
    } catch (error) {
      exchange.answer(outcomeOfFailure(error, route.endpoint));
    }
  };
}

function uncaughtCalls({ admission, clock, dispatcher, tellingDispatcher, secrets }: EndpointCallParts): CallEndpoint {
  const sessionUse = new SessionUse(dispatcher);

  return (exchange, route, received) => {
    const { request, response, path, address } = exchange;
    const { endpoint } = route;
    const method = exchange.method as Method;

    const text = textOfBody(received);
    if (typeof text !== 'string') return exchange.refuseCall(text);
    const parsed = parseRecord(method === 'GET' ? '' : text);
    if ('refused' in parsed) return exchange.refuseCall(parsed);
    const body = parsed.record;
    const asked = exchange.readQuery();
    if ('refused' in asked) return exchange.refuseCall(asked);
    const { query } = asked;

    const newCookie = route.beginsSession ? mintCookie() : null;
    const shown = readCredential(
      endpoint.access,
      {
        method,
        headers: request.headers,
        body,
        query,
        acceptsBodySecret: endpoint.acceptsBodySecret ?? false,
        takesSessions: route.takesSessions,
        newSessionId: newCookie?.sessionId ?? null,
      },
      secrets,
    );
    const { credential } = shown;
    if (credential.kind !== 'none' || shown.isWrong) {
      const ignored = ignoredFields({ method, body, query }, route.readNames);
      if (ignored !== null) exchange.addHeader(IGNORED_FIELDS_HEADER, ignored);
    }
    const now = clock();
    const admitted = route.isQueued ? { address, endpoint, shown } : null;
    const notAdmitted = admitted === null ? null : admission.refusalFor(admitted);
    if (notAdmitted !== null) return exchange.refuseCall(notAdmitted);

    const read =
      method === 'POST'
        ? route.readFields(body, 'body')
        : route.readFields(method === 'GET' ? query : { ...query, ...body }, 'query');
    if ('refusal' in read && !isLookedUp(credential)) {
      const caller = namesOfSecret(credential);
      const refused = outcomeOfRefusal(read.refusal, endpoint.flag);
      return exchange.answer(caller === undefined ? refused : { ...refused, caller });
    }
    const idempotency =
      method === 'POST' && hasSafeRetries(endpoint) ? readIdempotency(request.headers, exchange.url, text) : null;
    if (idempotency !== null && 'refused' in idempotency) return exchange.refuseCall(idempotency);

    const call = { path, credential, read, requestContext: exchange.requestContext(now), idempotency };
    const settle = admitted === null ? null : admission.begin(admitted, response);
    if (settle !== null && 'refused' in settle) return exchange.refuseCall(settle);
    const finish = (outcome: Outcome) => {
      const settled = settle === null ? outcome : settle(outcome);
      const cookie = route.setsCookie ? cookieAfter(endpoint, settled, { body, credential, newCookie }) : undefined;
      exchange.answer(settled, cookie, 'fields' in read ? read.fields.licenseKey : undefined);
    };
    const finishOfSession = (outcome: Outcome) => {
      sessionUse.note(call, endpoint.work, outcome);
      finish(outcome);
    };
    try {
      const runs = route.tellsOfNode ? tellingDispatcher : dispatcher;
      runs.dispatch(call, credential.kind === 'session' ? finishOfSession : finish);
    } catch (error) {
      // The call counts for its network until it is settled.
      finish(outcomeOfFailure(error, endpoint));
    }
  };
}
