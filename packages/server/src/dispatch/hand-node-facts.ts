/** Calls of endpoints that tell of the node bring along what the main thread knows of it (endpoint/node-facts.ts). */
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { NodeFacts } from '../endpoint/node-facts.ts';
import { outcomeOfFailure } from './action.ts';
import type { Dispatcher } from './call.ts';

/**
 * @param dispatcher where all calls go
 * @param endpoints by path
 * @param gather finds the facts; asked once for all calls that come while it is finding them
 */
export function handNodeFacts(
  dispatcher: Dispatcher,
  endpoints: ReadonlyMap<string, Endpoint>,
  gather: () => Promise<NodeFacts>,
): Dispatcher {
  const tellers = new Map([...endpoints].filter(([, { tellsOfNode }]) => tellsOfNode === true));
  let gathering: Promise<NodeFacts> | undefined;
  const gatherOnce = () => {
    gathering ??= gather().finally(() => {
      gathering = undefined;
    });
    return gathering;
  };

  return {
    dispatch(call, answer) {
      const teller = tellers.get(call.path);
      if (teller === undefined) return dispatcher.dispatch(call, answer);
      gatherOnce().then(
        (node) => dispatcher.dispatch({ ...call, requestContext: { ...call.requestContext, node } }, answer),
        (error: unknown) => answer(outcomeOfFailure(error, teller)),
      );
    },
    async close() {
      // Whatever waits for the facts is handed on first.
      await gathering?.catch(() => {});
      await dispatcher.close();
    },
  };
}
