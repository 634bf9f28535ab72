/**
 * A dispatcher that does not exist until it is called. What few services use in their first hours, and some never, costs
 * memory and a longer start only where it is used.
 */
import { endpointsByPath } from '../app.ts';
import { StorageAway } from '../storage/storage.ts';
import { OVERLOADED, outcomeOfFailure } from './action.ts';
import { type Call, type Dispatcher, type Outcome, outcomeOfRefusal } from './call.ts';

/** A dispatcher that starts with its first call. */
export interface StartedWhenCalled extends Dispatcher {
  /** Starts it now, unless it was started. @throws what its start throws */
  start(): Promise<void>;
}

interface Waiting {
  readonly call: Call;
  readonly answer: (outcome: Outcome) => void;
}

/**
 * Starts a dispatcher with the first call, once for all calls that come while it starts; they are then handed over in
 * their order. A start that fails is told of in the answers of these calls, and the next call tries again.
 *
 * @param startIt called again only after it failed
 * @param mostWaiting how many calls may wait for the start at once; more are refused with 503
 */
export function startWhenCalled(startIt: () => Promise<Dispatcher>, mostWaiting: number): StartedWhenCalled {
  let waiting: Waiting[] = [];
  let starting: Promise<void> | undefined;
  let started: Dispatcher | undefined;
  let isClosed = false;

  async function begin(): Promise<void> {
    try {
      started = await startIt();
    } catch (error) {
      starting = undefined;
      for (const { call, answer } of takeWaiting()) answer(failureOf(call, error));
      throw error;
    }
    for (const { call, answer } of takeWaiting()) started.dispatch(call, answer);
  }

  function takeWaiting(): readonly Waiting[] {
    const taken = waiting;
    waiting = [];
    return taken;
  }

  function start(): Promise<void> {
    starting ??= begin();
    return starting;
  }

  return {
    start,
    dispatch(call, answer) {
      if (started !== undefined) return started.dispatch(call, answer);
      // Nobody would close what is started now.
      if (isClosed) return answer(failureOf(call, new StorageAway('the service is stopping')));
      if (waiting.length >= mostWaiting) return answer(outcomeOfRefusal(OVERLOADED, flagOf(call)));
      waiting.push({ call, answer });
      // Whoever waits is told of a failure.
      start().catch(() => {});
    },
    async close() {
      isClosed = true;
      await starting?.catch(() => {});
      await started?.close();
    },
  };
}

const flagOf = ({ path }: Call) => endpointsByPath.get(path)?.flag ?? 'success';

const failureOf = (call: Call, error: unknown): Outcome => outcomeOfFailure(error, { flag: flagOf(call) });
