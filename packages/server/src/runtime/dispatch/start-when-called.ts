/**
 * A dispatcher that starts on demand. Few services need the part behind it in their first hours, and some never do, so
 * only its users pay with memory and a longer start.
 */
import { dispatchedByPath } from '../../app.ts';
import { type Outcome, outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { StorageAway } from '../../storage/contract/storage.ts';
import { OVERLOADED, outcomeOfFailure } from './action.ts';
import type { Call, Dispatcher } from './call.ts';

/** A dispatcher that starts with its first call. */
export interface StartedWhenCalled extends Dispatcher {
  /** Starts the dispatcher now, unless it has started. @throws any error of the start */
  start(): Promise<void>;
}

interface Waiting {
  readonly call: Call;
  readonly answer: (outcome: Outcome) => void;
}

/**
 * Starts a dispatcher with the first call. Calls that arrive during the start share it and are then dispatched in
 * order. If the start fails, these calls are answered with the failure, and the next call tries again.
 *
 * @param startIt called again only after a failure
 * @param maxWaiting maximum number of calls waiting for the start; further ones are refused with 503
 */
export function startWhenCalled(startIt: () => Promise<Dispatcher>, maxWaiting: number): StartedWhenCalled {
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
      // Nothing would close a dispatcher that is started now.
      if (isClosed) return answer(failureOf(call, new StorageAway('the service is stopping')));
      if (waiting.length >= maxWaiting) return answer(outcomeOfRefusal(OVERLOADED, flagOf(call)));
      waiting.push({ call, answer });
      // The waiting calls receive the failure.
      start().catch(() => {});
    },
    async close() {
      isClosed = true;
      await starting?.catch(() => {});
      await started?.close();
    },
  };
}

const flagOf = ({ path }: Call) => dispatchedByPath.get(path)?.flag ?? 'success';

const failureOf = (call: Call, error: unknown): Outcome => outcomeOfFailure(error, { flag: flagOf(call) });
