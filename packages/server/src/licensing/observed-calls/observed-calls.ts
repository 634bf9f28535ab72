/**
 * Receives the outcome of each client endpoint call and each recorded change once it is certain, counts all of them,
 * and collects the refusals of existing licenses and the countries that they are used from. All in memory;
 * write-observed.ts stores them (rules 10.8, 10.9).
 */
import type { CountedChanges } from '../../platform/endpoint/counted-changes.ts';
import { codeOf, type RefusalCode } from '../../platform/endpoint/refusals.ts';
import type { RecordedChange } from '../../platform/events/recorded-changes.ts';
import { type Count, Counters } from './counters.ts';
import { type CountrySighting, CountrySightings } from './country-sightings.ts';
import type { KeptRefusal } from './kept-refusal.ts';
import { countryMetric, type EndpointMetrics } from './metrics.ts';
import { RefusalBuffer, type RefusedCall } from './refusal-buffer.ts';
import { ALL_PRODUCTS } from './statistic-table.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface RuleContext {
    /** Records the result of each call of the client endpoints. */
    readonly observedCalls: ObservedCalls;
  }
}

/** Observations as they are passed between threads. */
export interface Observed {
  readonly counts: readonly Count[];
  readonly refusals: readonly KeptRefusal[];
  readonly sightings: readonly CountrySighting[];
}

export class ObservedCalls {
  readonly counters: Counters;
  readonly refusals: RefusalBuffer;
  readonly sightings = new CountrySightings();

  readonly #counted: ReadonlyMap<string, readonly CountedChanges[]>;

  /**
   * @param counted the counted metrics of all slices
   * @param maxRefusals maximum number of new refusal rows per second; the usual bound by default
   */
  constructor(counted: readonly CountedChanges[], maxRefusals?: number) {
    this.#counted = Map.groupBy(counted, ({ type }) => type);
    this.counters = new Counters();
    this.refusals = new RefusalBuffer(maxRefusals);
  }

  /** Records a successful call. `now` in milliseconds. */
  noteSuccess({ ok }: EndpointMetrics, productId: string, now: number): void {
    this.counters.count(productId, ok, now);
  }

  /** Records a refused call of an existing license. */
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

  /** Records a call with an unknown license key: it is only counted. */
  noteUnknownLicense(metrics: EndpointMetrics, refused: RefusalCode, now: number): void {
    this.counters.count(ALL_PRODUCTS, metrics.refused(codeOf(refused)), now);
  }

  /** Records a machine seen for the first time on this UTC day. */
  noteMachineOfDay(productId: string, country: string, now: number): void {
    this.counters.count(productId, countryMetric('machines', country), now);
  }

  /** Records the changes of a committed transaction. */
  noteChanges(changes: readonly RecordedChange[]): void {
    for (const change of changes) {
      const { type, productId, after, origin } = change;
      const product = productId ?? ALL_PRODUCTS;
      this.counters.count(product, type, origin.now);
      for (const counted of this.#counted.get(type) ?? []) {
        const metric = counted.nameOf(change);
        if (metric !== null) this.counters.count(product, metric, origin.now);
      }
      if (type === 'activation.created' && typeof after?.country === 'string')
        this.counters.count(product, countryMetric('activations', after.country), origin.now);
    }
  }

  /** Removes and returns the observations since the last call; null if there were none. */
  take(): Observed | null {
    const counts = this.counters.take();
    const refusals = this.refusals.take();
    const sightings = this.sightings.take();
    const isEmpty = counts.length === 0 && refusals.length === 0 && sightings.length === 0;
    return isEmpty ? null : { counts, refusals, sightings };
  }

  /** Adds the observations of another thread. */
  add({ counts, refusals, sightings }: Observed): void {
    this.counters.add(counts);
    this.refusals.add(refusals);
    this.sightings.add(sightings);
  }
}
