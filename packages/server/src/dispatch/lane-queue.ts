/**
 * Gathers the calls of a lane: what arrives in one turn of the event loop, and while a batch is under way, is decided
 * together. Under light load a batch is one call and waits for nobody.
 */
import type { Batch, Reply } from '../endpoint/endpoint.ts';
import type { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import { CommitUnknown, type Storage, StorageAway } from '../storage/storage.ts';

/** Calls per batch: enough to spread the cost of a commit, few enough that the first does not wait for the last. */
const BATCH_CALLS = 256;

/** What is told of a call: its result, or the error that kept it from having one. */
export type LaneAnswer = (result: Reply | Refusal | undefined, error?: unknown) => void;

interface Waiting {
  readonly call: unknown;
  readonly answer: LaneAnswer;
}

export class LaneQueue {
  readonly #lane: Batch;
  readonly #storage: Storage;
  readonly #service: Service;
  readonly #batchesAtOnce: number;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isScheduled = false;

  /** @param batchesAtOnce how many batches may be under way together; each takes a connection where there is a pool */
  constructor(lane: Batch, storage: Storage, service: Service, batchesAtOnce: number) {
    this.#lane = lane;
    this.#storage = storage;
    this.#service = service;
    this.#batchesAtOnce = batchesAtOnce;
  }

  push(call: unknown, answer: LaneAnswer): void {
    this.#waiting.push({ call, answer });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= this.#batchesAtOnce || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const batch = this.#waiting.slice(0, BATCH_CALLS);
      this.#waiting = this.#waiting.slice(BATCH_CALLS);
      this.#underWay++;
      void this.#decide(batch).finally(() => {
        this.#underWay--;
        this.#schedule();
      });
      this.#schedule();
    });
  }

  async #decide(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#run(batch.map(({ call }) => call));
      for (const [place, { answer }] of batch.entries()) answer(results[place]);
    } catch (error) {
      const [only] = batch;
      if (batch.length === 1 && only) return only.answer(undefined, error);
      // What may have been kept must not be done again, and a database that cannot serve need not be asked by each.
      if (error instanceof CommitUnknown || error instanceof StorageAway) {
        for (const { answer } of batch) answer(undefined, error);
        return;
      }
      // One call must not take its neighbours down, nor make them wait for a license that somebody keeps locked: nothing
      // of the batch was kept, so each is decided alone.
      await Promise.all(batch.map((each) => this.#decide([each])));
    }
  }

  #run(calls: readonly unknown[]): Promise<readonly (Reply | Refusal)[]> {
    const batch = this.#lane;
    return batch.mode === 'write'
      ? this.#storage.transaction((tx) => batch.run(tx, calls, this.#service))
      : this.#storage.read((sql) => batch.run(sql, calls, this.#service));
  }
}
