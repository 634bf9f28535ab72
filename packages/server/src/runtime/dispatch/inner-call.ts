/** Calls endpoints inside the service, for sites and senders. */
import type { Endpoint, RequestContext } from '../../platform/endpoint/endpoint.ts';
import { type FieldReader, fieldReader } from '../../platform/endpoint/fields.ts';
import { answerOf, type CallEndpoint } from '../../platform/endpoint/inner.ts';
import type { Outcome } from '../../platform/endpoint/outcome.ts';
import type { Dispatcher } from './call.ts';

const readers = new WeakMap<Endpoint, FieldReader>();

function readerOf(endpoint: Endpoint): FieldReader {
  let reader = readers.get(endpoint);
  if (reader === undefined) {
    reader = fieldReader(endpoint.fields, endpoint.missing);
    readers.set(endpoint, reader);
  }
  return reader;
}

/**
 * Returns the function that calls endpoints without a credential.
 *
 * @param contextOf makes the context of each call
 * @param onOutcome receives each outcome before the caller does
 */
export function callsInside(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  contextOf: () => RequestContext,
  onOutcome: (outcome: Outcome) => void = () => {},
): CallEndpoint {
  return (endpoint, fields) =>
    new Promise((resolve) => {
      const read = readerOf(endpoint)(fields, 'body');
      const call = { path: endpoint.path, credential: { kind: 'none' }, read, idempotency: null } as const;
      dispatcher.dispatch({ ...call, requestContext: contextOf() }, (outcome) => {
        onOutcome(outcome);
        resolve(answerOf(outcome));
      });
    });
}
