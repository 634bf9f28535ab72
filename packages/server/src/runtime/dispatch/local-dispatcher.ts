/** Runs calls in this thread, on its own storage. */
import type { LongSteps } from '../../ground/base/long-steps.ts';
import type { Measures } from '../../ground/measures/measures.ts';
import type { Batch } from '../../platform/endpoint/endpoint.ts';
import { type Outcome, outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import type { Storage } from '../../storage/contract/storage.ts';
import {
  type DispatchContext,
  endpointOf,
  isWrite,
  OVERLOADED,
  outcomeOf,
  outcomeOfFailure,
  outcomeOfKnown,
  runRead,
  runWrite,
} from './action.ts';
import { BatchQueue } from './batch-queue.ts';
import type { Dispatcher } from './call.ts';
import { replyInTurn, withLongSteps } from './long-reads.ts';

/** Bounds and hooks of a local dispatcher. */
export interface LocalDispatcherOptions {
  /** Number of concurrent batches of one kind. */
  readonly batchesAtOnce: number;
  /** Maximum number of calls waiting or in progress; further ones are refused with 503. Default: the caller counts. */
  readonly maxCalls?: number;
  /** The same bound while the storage is silent. */
  readonly maxCallsInSilence?: number;
  /** Final work on the storage after the last call has been answered. */
  readonly beforeClose?: () => Promise<void>;
  /** Where batches are measured, if anywhere. */
  readonly measures?: Measures | undefined;
  /** Where the long steps of reads wait for their turn; undefined in a thread without short calls. */
  readonly longSteps?: LongSteps;
}

/** @param storage runs the calls; closed with the dispatcher */
export function createLocalDispatcher(
  storage: Storage,
  context: DispatchContext,
  options: LocalDispatcherOptions,
): Dispatcher {
  const { batchesAtOnce, maxCalls = Number.POSITIVE_INFINITY, maxCallsInSilence = maxCalls } = options;
  const { beforeClose = async () => {}, measures, longSteps } = options;
  const queues = new Map<Batch, BatchQueue>();
  let underWay = 0;
  let whenIdle: (() => void) | undefined;

  function queueOf(batch: Batch): BatchQueue {
    let queue = queues.get(batch);
    if (queue === undefined) {
      queue = new BatchQueue(batch, storage, context.ruleContext, batchesAtOnce, measures);
      queues.set(batch, queue);
    }
    return queue;
  }

  const isFull = () => underWay >= maxCalls || (underWay >= maxCallsInSilence && storage.isSilent === true);

  function settle(): void {
    underWay--;
    if (underWay === 0) whenIdle?.();
  }

  return {
    dispatch(call, reply) {
      const endpoint = endpointOf(call, context);
      const { work } = endpoint;
      if (work.kind === 'batch') {
        if ('refusal' in call.read) return reply(outcomeOfRefusal(call.read.refusal, endpoint.flag));
        const bound = work.bind(call.read.fields, call.requestContext);
        const known = work.batch.mode === 'read' ? work.batch.recall(bound, context.ruleContext) : undefined;
        if (known !== undefined) return reply(outcomeOfKnown(known, endpoint));
        if (isFull()) return reply(outcomeOfRefusal(OVERLOADED, endpoint.flag));
        underWay++;
        return queueOf(work.batch).push(bound, (result, error) => {
          reply(result === undefined ? outcomeOfFailure(error, endpoint) : outcomeOf(result, endpoint));
          settle();
        });
      }
      if (isFull()) return reply(outcomeOfRefusal(OVERLOADED, endpoint.flag));
      underWay++;
      const running = isWrite(call, endpoint)
        ? storage.transaction((tx) => runWrite(tx, call, endpoint, context))
        : storage.read((sql) =>
            runRead(longSteps === undefined ? sql : withLongSteps(sql, longSteps), call, endpoint, context),
          );
      const answer = (outcome: Outcome<string>) => {
        reply(outcome);
        settle();
      };
      running
        .catch((error: unknown) => outcomeOfFailure(error, endpoint))
        .then((outcome) =>
          longSteps === undefined
            ? answer(outcome)
            : replyInTurn(outcome.body.length, longSteps, () => answer(outcome)),
        );
    },
    async close() {
      if (underWay > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
      await beforeClose();
      await storage.close();
    },
  };
}
