/** When customers visit the pages at /my: each opens a page every ten seconds and signs in every ten minutes. */

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
      const offsetMs = (customer / customers) * intervalMs;
      const due = Math.ceil((toMs - offsetMs) / intervalMs) - Math.ceil((fromMs - offsetMs) / intervalMs);
      for (let visit = 0; visit < due; visit += 1) visits.push({ customer, kind });
    }
  }
  return visits;
}
