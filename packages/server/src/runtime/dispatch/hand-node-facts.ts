/**
 * Adds the main thread's facts about the node to calls of endpoints that report them (platform/endpoint/node-facts.ts).
 */
import type { NodeFacts } from '../../platform/endpoint/node-facts.ts';
import { outcomeOfFailure } from './action.ts';
import type { Dispatcher } from './call.ts';

/**
 * Returns the dispatcher for these endpoints alone.
 *
 * @param gather collects the facts; concurrent calls share one run
 */
export function handNodeFacts(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  gather: () => Promise<NodeFacts>,
): Pick<Dispatcher, 'dispatch'> {
  let gathering: Promise<NodeFacts> | undefined;
  const gatherOnce = () => {
    gathering ??= gather().finally(() => {
      gathering = undefined;
    });
    return gathering;
  };
  return {
    dispatch(call, answer) {
      gatherOnce().then(
        (node) => dispatcher.dispatch({ ...call, requestContext: { ...call.requestContext, node } }, answer),
        (error: unknown) => answer(outcomeOfFailure(error, { flag: 'success' })),
      );
    },
  };
}
