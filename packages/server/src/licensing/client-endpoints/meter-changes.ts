/** The meters of licenses in a batch of calls: loaded for the calls that count, changed in memory, written together. */
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { listMeterRequests, listMeterUses, type MeterRequest, type MeterUse, saveMeterUses } from '../meters/store.ts';

/** A call that counts; its id is undefined if it only asks. */
export interface MeterCall {
  readonly requestId: string | undefined;
}

/** The meters of a locked license. */
export class MeterChanges {
  readonly #uses = new Map<string, MeterUse>();
  readonly #requests = new Map<string, MeterRequest>();
  readonly #changed = new Map<string, MeterUse>();
  readonly #counted: MeterRequest[] = [];

  /** Adds what is stored; for the loader. */
  load(uses: readonly MeterUse[], requests: readonly MeterRequest[]): void {
    for (const use of uses) this.#uses.set(use.meter, use);
    for (const request of requests) {
      const known = this.#requests.get(request.requestId);
      if (known === undefined || known.usedAt < request.usedAt) this.#requests.set(request.requestId, request);
    }
  }

  use(meter: string): MeterUse | undefined {
    return this.#uses.get(meter);
  }

  /** A request that was counted before, in an earlier batch or in this one. */
  request(requestId: string): MeterRequest | undefined {
    return this.#requests.get(requestId);
  }

  change(use: MeterUse): void {
    this.#uses.set(use.meter, use);
    this.#changed.set(use.meter, use);
  }

  count(request: MeterRequest): void {
    this.#requests.set(request.requestId, request);
    this.#counted.push(request);
  }

  /** What {@link saveMeters} writes. */
  get written(): { readonly uses: readonly MeterUse[]; readonly requests: readonly MeterRequest[] } {
    return { uses: [...this.#changed.values()], requests: this.#counted };
  }
}

interface Call {
  readonly licenseKey: string;
  readonly metered: MeterCall | undefined;
}

/** Loads the meters of the calls that count. Runs no statement without one. */
export async function loadMeters(
  sql: Sql,
  calls: readonly Call[],
  licenses: ReadonlyMap<string, { readonly meters: MeterChanges }>,
): Promise<void> {
  const metered = calls.filter(({ licenseKey, metered }) => metered !== undefined && licenses.has(licenseKey));
  if (metered.length === 0) return;
  const licenseKeys = [...new Set(metered.map(({ licenseKey }) => licenseKey))];
  const keys = metered.flatMap(({ licenseKey, metered: call }) =>
    call?.requestId === undefined ? [] : [{ licenseKey, requestId: call.requestId }],
  );
  const [uses, requests] = await Promise.all([
    listMeterUses(sql, licenseKeys),
    keys.length === 0 ? [] : listMeterRequests(sql, keys),
  ]);
  for (const licenseKey of licenseKeys) {
    const isOf = (row: { readonly licenseKey: string }) => row.licenseKey === licenseKey;
    licenses.get(licenseKey)?.meters.load(uses.filter(isOf), requests.filter(isOf));
  }
}

/** Writes what was counted on licenses. Runs no statement if nothing was. */
export async function saveMeters(
  tx: Tx,
  licenses: Iterable<{ readonly writtenMeters: MeterChanges['written'] | null }>,
): Promise<void> {
  const uses: MeterUse[] = [];
  const requests: MeterRequest[] = [];
  for (const changes of licenses) {
    const written = changes.writtenMeters;
    if (written === null) continue;
    uses.push(...written.uses);
    requests.push(...written.requests);
  }
  if (uses.length + requests.length > 0) await saveMeterUses(tx, uses, requests);
}
