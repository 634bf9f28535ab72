/**
 * What licenses used of their meters, and the requests that are known for 48 hours. Written under the license's lock.
 */
import { HOUR_MS } from '../../ground/base/clock.ts';
import { type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import { flagColumn, integerColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';

/** The use of a meter in the last period with a use. */
export interface MeterUse {
  readonly licenseKey: string;
  readonly meter: string;
  /** The name of the period; see licensing/licenses/meters.ts. */
  readonly period: string;
  readonly used: number;
  /** Whether the event about the reached limit was recorded in this period. */
  readonly isLimitReached: boolean;
  /** Number of requests that were counted so far; the place of the next in {@link MeterRequest.slot}. */
  readonly requests: number;
}

/** A request that was counted, with its answer. */
export interface MeterRequest {
  readonly licenseKey: string;
  readonly meter: string;
  /** The number of the request within {@link REQUESTS_KEPT}: a later one takes the place of the oldest. */
  readonly slot: number;
  readonly requestId: string;
  readonly units: number;
  readonly used: number;
  readonly limit: number;
  readonly resetsAt: string | null;
  readonly usedAt: string;
}

/** Requests that are known of one meter of a license; the oldest make room. */
export const REQUESTS_KEPT = 10_000;

/** How long a request is known. */
export const REQUEST_MEMORY_MS = 48 * HOUR_MS;

export const meterUseTable = new Table<MeterUse>('meter_use', {
  licenseKey: textColumn('license_key'),
  meter: textColumn('meter'),
  period: textColumn('period'),
  used: integerColumn('used'),
  isLimitReached: flagColumn('limit_reached'),
  requests: integerColumn('requests'),
});

const requestTable = new Table<MeterRequest>('meter_request', {
  licenseKey: textColumn('license_key'),
  meter: textColumn('meter'),
  slot: integerColumn('slot'),
  requestId: textColumn('request_id'),
  units: integerColumn('units'),
  used: integerColumn('used'),
  limit: integerColumn('limit_then'),
  resetsAt: textColumn('resets_at'),
  usedAt: textColumn('used_at'),
});

const listUses = statement(
  'meter_use.list',
  (dialect) => `select ${meterUseTable.select('u')} from meter_use u where u.license_key ${dialect.among('$1')}`,
);

const listOfLicense = statement(
  'meter_use.list_of_license',
  `select ${meterUseTable.select('u')} from meter_use u where u.license_key = $1 order by u.meter`,
);

const listRequests = statement(
  'meter_request.list',
  (
    dialect,
  ) => `select ${requestTable.select('q')} from ${requestTable.unfold(dialect, '$1', ['licenseKey', 'requestId'])} r
    join meter_request q on q.license_key || '' = r.license_key and q.request_id = r.request_id`,
);

const replaced = (columns: readonly string[]) => columns.map((column) => `${column} = excluded.${column}`).join(', ');

const saveUses = meterUseTable.insert('meter_use.save', {
  conflict: `on conflict (license_key, meter) do update set ${replaced(
    meterUseTable.columns(meterUseTable.except(['licenseKey', 'meter'])),
  )}`,
});

const saveRequests = requestTable.insert('meter_request.save', {
  conflict: `on conflict (license_key, meter, slot) do update set ${replaced(
    requestTable.columns(requestTable.except(['licenseKey', 'meter', 'slot'])),
  )}`,
});

/** A request by its license and id. */
type RequestKey = Pick<MeterRequest, 'licenseKey' | 'requestId'>;

/** The uses of all meters of some licenses. */
export async function listMeterUses(sql: Sql, licenseKeys: readonly string[]): Promise<readonly MeterUse[]> {
  const rows = await sql.all<StoredRow>(listUses, JSON.stringify(licenseKeys));
  return rows.map((row) => meterUseTable.restore(row));
}

/** The uses of all meters of a license, by name. */
export async function listMeterUsesOf(sql: Sql, licenseKey: string): Promise<readonly MeterUse[]> {
  const rows = await sql.all<StoredRow>(listOfLicense, licenseKey);
  return rows.map((row) => meterUseTable.restore(row));
}

/** The known requests among the named ones. */
export async function listMeterRequests(sql: Sql, keys: readonly RequestKey[]): Promise<readonly MeterRequest[]> {
  const rows = await sql.all<StoredRow>(listRequests, requestTable.rows(keys, ['licenseKey', 'requestId']));
  return rows.map((row) => requestTable.restore(row));
}

const moveUses = writeStatement(
  'meter_use.move',
  (dialect) =>
    `update meter_use set period = $3 where license_key = $1 and period = $2 and meter ${dialect.among('$4')}`,
);

/** Uses that go on in a period with another name. */
export interface MovedUses {
  readonly licenseKey: string;
  readonly meters: readonly string[];
  readonly from: string;
  readonly to: string;
}

/** Moves uses into the period that replaces theirs. */
export async function moveMeterUses(tx: Tx, { licenseKey, meters, from, to }: MovedUses): Promise<void> {
  await tx.run(moveUses, licenseKey, from, to, JSON.stringify(meters));
}

/** Writes uses, and the requests that were counted in them. */
export async function saveMeterUses(
  tx: Tx,
  uses: readonly MeterUse[],
  requests: readonly MeterRequest[],
): Promise<void> {
  await Promise.all([
    ...(uses.length === 0 ? [] : [tx.run(saveUses, meterUseTable.rows(uses, meterUseTable.fields))]),
    ...(requests.length === 0 ? [] : [tx.run(saveRequests, requestTable.rows(requests, requestTable.fields))]),
  ]);
}
