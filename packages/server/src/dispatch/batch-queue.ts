/**
 * Gathers the calls of a batch: what arrives in one turn of the event loop, and while batches are under way, is decided
 * together. Under light load a batch is one call and waits for nobody.
 */
import { elapsedMs } from '../clock.ts';
import { type Batch, type BatchResult, CallFailure, type Reply } from '../endpoint/endpoint.ts';
import type { Distribution, Measures } from '../measures/measures.ts';
import type { Refusal } from '../refusals.ts';
import type { RuleContext } from '../rule-context.ts';
import { CommitUnknown, type Storage, StorageAway } from '../storage/storage.ts';
import { oncePerTurn } from '../turn.ts';

/** Calls per batch: enough to spread the cost of a commit, few enough that the first does not wait for the last. */
const BATCH_CALLS = 256;

/** What is told of a call: its result, or the error that kept it from having one. */
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
  readonly #beginSoon = oncePerTurn(() => this.#begin());
  readonly #sizes: Distribution | undefined;
  readonly #waits: Distribution | undefined;
  #waiting: Waiting[] = [];
  /** When the first of those that wait came, or the first of a batch that had no room for them: no call's time is kept. */
  #waitingSince = 0;
  #underWay = 0;

  /**
   * @param batchesAtOnce how many batches may be under way together; each takes a connection where there is a pool
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
    this.#sizes = measures?.histogram('latchkey_batch_calls', { batch: batch.name });
    this.#waits = measures?.histogram('latchkey_batch_wait_seconds', { batch: batch.name });
  }

  /** Takes a call that was bound to this batch. */
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
      // What may have been kept must not be done again, and a database that cannot serve need not be asked by each.
      if (error instanceof CommitUnknown || error instanceof StorageAway) {
        for (const { answer } of together) answer(undefined, error);
        return;
      }
      // One call must not take its neighbours down, nor make them wait for a license that somebody keeps locked: nothing
      // of the batch was kept, so each is decided alone.
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
