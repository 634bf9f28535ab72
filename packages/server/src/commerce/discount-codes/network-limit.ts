/** A limit per hour for the networks of callers without a credential, across all nodes. */
import type { Network } from '../../ground/base/network-address.ts';
import { type Refusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { KeptLists } from '../../storage/contract/kept-lists-store.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';

/** How a list of past occurrences limits the next one. */
interface Counting<List> {
  /** Whole seconds until one more is allowed; null if it is allowed now. */
  readonly pauseSeconds: (list: List, limit: number, now: number) => number | null;
  /** The list with one more. */
  readonly after: (list: List, now: number) => List;
}

export class NetworkLimit<List extends readonly unknown[], Code extends RefusalCode> {
  readonly #lists: KeptLists<List>;
  readonly #counting: Counting<List>;
  readonly #refused: Code;

  constructor(lists: KeptLists<List>, counting: Counting<List>, refused: Code) {
    this.#lists = lists;
    this.#counting = counting;
    this.#refused = refused;
  }

  /** Refuses networks at their limit, from an unlocked read, so that they wait for no lock. */
  async check(sql: Sql, networks: readonly Network[], limit: number, now: number): Promise<Refusal<Code> | null> {
    for (const { name, times } of networks) {
      const refusal = this.#refusalFor(await this.#lists.find(sql, name), limit * times, now);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  /**
   * Counts one in each of these networks, or refuses it and counts nothing. The networks stay locked until the
   * transaction ends, so concurrent requests get exactly as many as the limit allows.
   */
  async count(tx: Tx, networks: readonly Network[], limit: number, now: number): Promise<Refusal<Code> | null> {
    const locked: { readonly name: string; readonly list: List }[] = [];
    for (const { name, times } of networks) {
      const list = await this.#lists.lock(tx, name, now);
      const refusal = this.#refusalFor(list, limit * times, now);
      if (refusal !== null) return refusal;
      locked.push({ name, list });
    }
    for (const { name, list } of locked) await this.#lists.save(tx, name, this.#counting.after(list, now), now);
    return null;
  }

  #refusalFor(list: List, limit: number, now: number): Refusal<Code> | null {
    const retryAfterSeconds = this.#counting.pauseSeconds(list, limit, now);
    return retryAfterSeconds === null ? null : refuse(this.#refused, { retryAfterSeconds });
  }
}
