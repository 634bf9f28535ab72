/**
 * When customers visit the pages at /my, and tabs of the console call the service. Each customer opens a page every ten
 * seconds and signs in every ten minutes. Each tab repeats a recorded round.
 */
import type { RecordedCall, Round } from './tab-round.ts';

const INTERVALS_MS = { page: 10_000, signIn: 600_000 } as const;

/** One visit of one customer. */
export interface Visit {
  /** Number of the customer, from 0. */
  readonly customer: number;
  readonly kind: keyof typeof INTERVALS_MS;
}

/**
 * The visits that are due from `fromMs` until before `toMs`. Visits of a kind are spread evenly over its interval, so
 * that the load is the same in every window.
 *
 * @param customers number of customers
 */
export function visitsBetween(customers: number, fromMs: number, toMs: number): Visit[] {
  const visits: Visit[] = [];
  for (const kind of ['signIn', 'page'] as const) {
    const intervalMs = INTERVALS_MS[kind];
    for (let customer = 0; customer < customers; customer += 1) {
      const due = timesDue(intervalMs, (customer / customers) * intervalMs, fromMs, toMs);
      for (let visit = 0; visit < due; visit += 1) visits.push({ customer, kind });
    }
  }
  return visits;
}

/**
 * The calls that are due from `fromMs` until before `toMs`, each with the number of its tab, from 0. In the time of a
 * round each tab sends every call once, at even distances and in a mixed order. As recorded, most calls come in bursts,
 * when the console is loaded or a screen opens, and a burst would fall into the windows of one endpoint alone.
 */
export function callsBetween(
  tabs: number,
  { lengthMs, calls }: Pick<Round, 'lengthMs' | 'calls'>,
  fromMs: number,
  toMs: number,
): { readonly tab: number; readonly call: RecordedCall }[] {
  const stride = strideThrough(calls.length);
  return Array.from({ length: tabs }, (_, tab) =>
    calls.flatMap((call, index) => {
      const ahead = Math.floor((tab / tabs) * calls.length);
      const place = ((index * stride + ahead) % calls.length) + tab / tabs;
      const offsetMs = (place / calls.length) * lengthMs;
      return Array.from({ length: timesDue(lengthMs, offsetMs, fromMs, toMs) }, () => ({ tab, call }));
    }),
  ).flat();
}

/** A step through `count` things that meets each of them once, and neighbours far from each other. */
function strideThrough(count: number): number {
  let stride = Math.max(1, Math.round(count * 0.618));
  while (greatestCommonDivisor(stride, count) > 1) stride += 1;
  return stride;
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}

/** How often something that repeats at an interval from `offsetMs` on is due from `fromMs` until before `toMs`. */
function timesDue(intervalMs: number, offsetMs: number, fromMs: number, toMs: number): number {
  return Math.ceil((toMs - offsetMs) / intervalMs) - Math.ceil((fromMs - offsetMs) / intervalMs);
}
