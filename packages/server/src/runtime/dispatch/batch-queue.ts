/**
 * Collects the calls of a batch. Calls that arrive in one tick of the event loop, or while batches are in progress, are
 * decided together. Under light load a batch is one call and waits for nothing.
 */
import { elapsedMs } from '../../ground/base/clock.ts';
import { oncePerTick } from '../../ground/base/tick.ts';
import type { Distribution, Measures } from '../../ground/measures/measures.ts';
import { NODE_METRICS } from '../../ground/measures/node-metrics.ts';
import { type Batch, type BatchResult, CallFailure, type Reply } from '../../platform/endpoint/endpoint.ts';
import type { Refusal } from '../../platform/endpoint/refusals.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import { CommitUnknown, type Storage, StorageAway } from '../../storage/contract/storage.ts';

/**
 * Calls per batch: enough to spread the cost of a commit, few enough that the first call does not wait for the last.
 */
const BATCH_CALLS = 256;

/** Receives the result of a call, or the error that prevented it. */
export type BatchAnswer = (result: Reply | Refusal | undefined, error?: unknown) => void;

interface Waiting {
  readonly call: unknown;
  readonly answer: BatchAnswer;
}

export class BatchQueue {
  readonly #batch: Batch;
  readonly #storage: Storage;
  readonly #ruleContext: RuleContext;
  readonly #batchesAtOnce: number;
  readonly #beginSoon = oncePerTick(() => this.#begin());
  readonly #sizes: Distribution | undefined;
  readonly #waits: Distribution | undefined;
  #waiting: Waiting[] = [];
  /**
   * Arrival of the first waiting call, or of the first call of a batch that was too full for the rest; no time is
   * stored per call.
   */
  #waitingSince = 0;
  #underWay = 0;

  /**
   * @param batchesAtOnce number of concurrent batches; with a pool, each takes a connection
   * @param measures where batches are measured, if anywhere
   */
  constructor(
    batch: Batch,
    storage: Storage,
    ruleContext: RuleContext,
    batchesAtOnce: number,
    measures?: Measures | undefined,
  ) {
    this.#batch = batch;
    this.#storage = storage;
    this.#ruleContext = ruleContext;
    this.#batchesAtOnce = batchesAtOnce;
    this.#sizes = measures?.histogram(NODE_METRICS.latchkey_batch_calls, { batch: batch.name });
    this.#waits = measures?.histogram(NODE_METRICS.latchkey_batch_wait_seconds, { batch: batch.name });
  }

  /** Adds a call that is bound to this batch. */
  push(call: unknown, answer: BatchAnswer): void {
    if (this.#waits !== undefined && this.#waiting.length === 0) this.#waitingSince = elapsedMs();
    this.#waiting.push({ call, answer });
    if (this.#underWay < this.#batchesAtOnce) this.#beginSoon();
  }

  #begin(): void {
    if (this.#underWay >= this.#batchesAtOnce || this.#waiting.length === 0) return;
    const together = this.#waiting.slice(0, BATCH_CALLS);
    this.#waiting = this.#waiting.slice(BATCH_CALLS);
    this.#sizes?.observe(together.length);
    this.#waits?.observe((elapsedMs() - this.#waitingSince) / 1000);
    this.#underWay++;
    void this.#decide(together).finally(() => {
      this.#underWay--;
      this.#beginSoon();
    });
    if (this.#waiting.length > 0) this.#beginSoon();
  }

  async #decide(together: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#run(together.map(({ call }) => call));
      for (const [index, { answer }] of together.entries()) {
        const result = results[index];
        if (result instanceof CallFailure) answer(undefined, result.error);
        else answer(result);
      }
    } catch (error) {
      const [only] = together;
      if (together.length === 1 && only) return only.answer(undefined, error);
      // A call that may have been committed must not be repeated. If the database is unavailable, retrying each call
      // would be pointless.
      if (error instanceof CommitUnknown || error instanceof StorageAway) {
        for (const { answer } of together) answer(undefined, error);
        return;
      }
      // One call must not fail its neighbours, nor make them wait for a locked license. Nothing of the batch was
      // committed, so each call is decided alone.
      await Promise.all(together.map((each) => this.#decide([each])));
    }
  }

  #run(calls: readonly unknown[]): Promise<readonly BatchResult[]> {
    const batch = this.#batch;
    return batch.mode === 'write'
      ? this.#storage.transaction((tx) => batch.run(tx, calls, this.#ruleContext))
      : this.#storage.read((sql) => batch.run(sql, calls, this.#ruleContext));
  }
}
