/**
 * Hears what each call of the client endpoints came to, and which changes were recorded, once that is certain: counts
 * all of it, and keeps refusals of licenses that exist. In memory; write-observed.ts writes it (rules 10.8, 10.9).
 */
import { codeOf, type RefusalCode } from '../refusals.ts';
import type { RecordedChange } from '../storage/storage.ts';
import { type Count, Counters } from './counters.ts';
import { GatheredRefusals, type RefusedCall } from './gathered-refusals.ts';
import type { KeptRefusal } from './kept-refusal.ts';
import { countryMetric, type EndpointMetrics, openedMetric } from './metrics.ts';
import { ALL_PRODUCTS } from './statistic-table.ts';

/** What was observed, as it goes from one thread to another. */
export interface Observed {
  readonly counts: readonly Count[];
  readonly refusals: readonly KeptRefusal[];
}

export class ObservedCalls {
  readonly counters: Counters;
  readonly refusals: GatheredRefusals;

  /** @param mostRefusals rows of refusals that may begin within a second; as usual unless told */
  constructor(mostRefusals?: number) {
    this.counters = new Counters();
    this.refusals = new GatheredRefusals(mostRefusals);
  }

  /** Notes a call that succeeded. `now` in milliseconds. */
  noteSuccess({ ok }: EndpointMetrics, productId: string, now: number): void {
    this.counters.count(productId, ok, now);
  }

  /** Notes a call that was refused, of a license that exists. */
  noteRefusal(
    metrics: EndpointMetrics,
    productId: string,
    refused: RefusalCode,
    facts: Omit<RefusedCall, 'endpoint' | 'code'>,
  ): void {
    const code = codeOf(refused);
    this.counters.count(productId, metrics.refused(code), facts.now);
    this.refusals.gather({ ...facts, code, endpoint: metrics.endpoint });
  }

  /** Notes a call with a license key that is none: it is counted, and nothing of it is kept. */
  noteUnknownLicense(metrics: EndpointMetrics, refused: RefusalCode, now: number): void {
    this.counters.count(ALL_PRODUCTS, metrics.refused(codeOf(refused)), now);
  }

  /** Notes a machine that was not seen before on this UTC day. */
  noteMachineOfDay(productId: string, country: string, now: number): void {
    this.counters.count(productId, countryMetric('machines', country), now);
  }

  /** Notes changes that a committed transaction recorded. */
  noteChanges(changes: readonly RecordedChange[]): void {
    for (const { type, productId, after, origin } of changes) {
      const product = productId ?? ALL_PRODUCTS;
      this.counters.count(product, type, origin.now);
      if (type === 'violation.opened' && typeof after?.type === 'string')
        this.counters.count(product, openedMetric(after.type), origin.now);
      if (type === 'activation.created' && typeof after?.country === 'string')
        this.counters.count(product, countryMetric('activations', after.country), origin.now);
    }
  }

  /** Takes out what was observed since the last time; null when that is nothing. */
  take(): Observed | null {
    const counts = this.counters.take();
    const refusals = this.refusals.take();
    return counts.length === 0 && refusals.length === 0 ? null : { counts, refusals };
  }

  /** Adds what another thread observed. */
  add({ counts, refusals }: Observed): void {
    this.counters.add(counts);
    this.refusals.add(refusals);
  }
}
