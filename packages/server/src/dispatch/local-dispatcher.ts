/** Runs calls in this thread, on a storage it holds. */
import type { Batch } from '../endpoint/endpoint.ts';
import type { Sql, Storage, Tx } from '../storage/storage.ts';
import { endpointOf, OVERLOADED, outcomeOf, outcomeOfFailure, runAlone, type Surroundings } from './action.ts';
import { type Call, type Dispatcher, type Outcome, outcomeOfRefusal } from './call.ts';
import { LaneQueue } from './lane-queue.ts';

/** Calls that may be here at once; beyond it the service says so instead of growing. */
const MOST_CALLS = 20_000;

/**
 * @param storage where the calls run
 * @param around endpoints, identification and service
 * @param batchesAtOnce how many batches of a lane may be under way together
 * @param mostCalls how many calls may wait or be under way here at once; more are refused with 503
 */
export function createLocalDispatcher(
  storage: Storage,
  around: Surroundings,
  batchesAtOnce: number,
  mostCalls: number = MOST_CALLS,
): Dispatcher {
  const queues = new Map<Batch, LaneQueue>();
  let underWay = 0;
  let whenIdle: (() => void) | undefined;

  function queueOf(lane: Batch): LaneQueue {
    let queue = queues.get(lane);
    if (queue === undefined) {
      queue = new LaneQueue(lane, storage, around.service, batchesAtOnce);
      queues.set(lane, queue);
    }
    return queue;
  }

  async function runInStorage(call: Call): Promise<Outcome> {
    const endpoint = endpointOf(call, around);
    const work = (sql: Sql) => runAlone(sql as Tx, call, endpoint, around);
    // A first answer that is kept is a write, whatever the endpoint does.
    const isRead = endpoint.work.kind === 'read' && call.idempotency === null;
    return isRead ? storage.read(work) : storage.transaction(work);
  }

  return {
    dispatch(call, reply) {
      const endpoint = endpointOf(call, around);
      const { work } = endpoint;
      if (work.kind === 'batch' && 'refusal' in call.read)
        return reply(outcomeOfRefusal(call.read.refusal, endpoint.flag));
      if (work.kind === 'batch' && call.idempotency === null && 'fields' in call.read) {
        const laneCall = work.bind(call.read.fields, call.circumstances);
        const known = work.batch.mode === 'read' ? work.batch.recall(laneCall, around.service) : undefined;
        if (known !== undefined) return reply(outcomeOf(known, endpoint));
        if (underWay >= mostCalls) return reply(outcomeOfRefusal(OVERLOADED, endpoint.flag));
        underWay++;
        return queueOf(work.batch).push(laneCall, (result, error) => {
          reply(result === undefined ? outcomeOfFailure(error, endpoint) : outcomeOf(result, endpoint));
          settle();
        });
      }
      if (underWay >= mostCalls) return reply(outcomeOfRefusal(OVERLOADED, endpoint.flag));
      underWay++;
      runInStorage(call)
        .catch((error: unknown) => outcomeOfFailure(error, endpoint))
        .then((outcome) => {
          reply(outcome);
          settle();
        });
    },
    async close() {
      if (underWay > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
      await storage.close();
    },
  };

  function settle(): void {
    underWay--;
    if (underWay === 0) whenIdle?.();
  }
}
