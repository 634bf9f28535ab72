/**
 * Adds the main thread's facts about the node to calls of endpoints that report them (platform/endpoint/node-facts.ts).
 */
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import type { NodeFacts } from '../../platform/endpoint/node-facts.ts';
import { outcomeOfFailure } from './action.ts';
import type { Dispatcher } from './call.ts';

/**
 * @param dispatcher receives all calls
 * @param endpoints by path
 * @param gather collects the facts; concurrent calls share one run
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
      // Calls that wait for the facts are dispatched first.
      await gathering?.catch(() => {});
      await dispatcher.close();
    },
  };
}
