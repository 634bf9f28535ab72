/**
 * The board of violations: gravest first, within a severity the most recently opened first. Each list reads an index of
 * open or of resolved violations, so a page costs the same for any number of them. A repeat changes neither severity
 * nor opening time, so it never moves a violation between two pages.
 */
import { fallingBy, type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import type { Dialect, Sql } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import { DETECTED_TYPES, REPORTED_TYPES, type Violation } from './violation.ts';
import { listViolations, VIOLATION_COLUMNS, violationFrom } from './violation-store.ts';

const mostSevereFirst = fallingBy('severity', 'firstSeen', 'licenseKey', 'violationId');

/** The filter of the board; undefined fields do not filter. */
export interface ViolationFilter {
  /** The products whose violations are listed, each once. Null lists violations of all products. */
  readonly productIds: readonly string[] | null;
  /** The only license whose violations are listed. */
  readonly licenseKey: string | undefined;
  readonly type: Violation['type'] | undefined;
  /** True selects refunds and chargebacks, false all other types. */
  readonly areDisputes: boolean | undefined;
  readonly isOpen: boolean | undefined;
  readonly minimumSeverity: number;
}

/** The types that revoke a license when the shop reports them, so nobody has to decide. */
const DISPUTES: readonly Violation['type'][] = ['refund', 'chargeback'];
/** Maximum number of violations counted. */
const COUNTED_AT_MOST = 1_000;

/** The start of a page: after this violation's severity and opening time. */
export type ViolationPosition = Pick<Violation, 'severity' | 'firstSeen' | 'licenseKey' | 'violationId'>;

const STATES = ['open', 'resolved', 'any'] as const;
type State = (typeof STATES)[number];
const CONDITION = { open: 'v.resolved_at is null', resolved: 'v.resolved_at is not null' } as const;

function scanOf(dialect: Dialect, agreed: Readonly<Record<string, string>>, state: 'open' | 'resolved'): string {
  const cursor = {
    'v.severity': ':severity',
    'v.first_seen': ':firstSeen',
    'v.license_key': ':licenseKey',
    'v.violation_id': ':violationId',
  };
  const filter = `and ${CONDITION[state]}`;
  const along = indexScan(dialect, { agreed, cursor, last: { 'v.severity': ':minimum' }, filter, limit: ':limit' });
  return `select ${VIOLATION_COLUMNS} from violation v ${along}`;
}

/** One statement reads both open and resolved violations, so that one resolved meanwhile is listed once. */
function textOf(dialect: Dialect, agreed: Readonly<Record<string, string>>, state: State): string {
  if (state !== 'any') return scanOf(dialect, agreed, state);
  return `select * from (
      select * from (${scanOf(dialect, agreed, 'open')}) unresolved
      union all
      select * from (${scanOf(dialect, agreed, 'resolved')}) resolved
    ) v order by v."severity" desc, v."firstSeen" desc, v."licenseKey" desc, v."violationId" desc limit :limit`;
}

/** The values of a page, in the order of the parameters. */
const VALUES = ['severity', 'firstSeen', 'licenseKey', 'violationId', 'limit', 'minimum', 'productId', 'type'] as const;
type BoardStatement = NamedStatement<(typeof VALUES)[number]>;
const pages = new Map<string, BoardStatement>();
const counts = new Map<string, BoardStatement>();
for (const isOfProduct of [false, true])
  for (const isOfType of [false, true])
    for (const state of STATES) {
      const name = nameOf(isOfProduct, isOfType, state);
      const agreed = {
        // The form of the index of product and type; lists of the product alone do not use it.
        ...(isOfProduct ? { [isOfType ? "v.product_id || ''" : 'v.product_id']: ':productId' } : {}),
        ...(isOfType ? { 'v.type': ':type' } : {}),
      };
      pages.set(name, new NamedStatement(`violation.${name}`, VALUES, (dialect) => textOf(dialect, agreed, state)));
      if (state === 'any') continue;
      const counted = (dialect: Dialect) =>
        `select count(*) as "count" from (${scanOf(dialect, agreed, state)}) counted`;
      counts.set(name, new NamedStatement(`violation.count_${name}`, VALUES, counted));
    }

/** A statement's name: `board_product_type_open`, `board_all_any`. */
function nameOf(isOfProduct: boolean, isOfType: boolean, state: State): string {
  const among = [...(isOfProduct ? ['product'] : []), ...(isOfType ? ['type'] : [])].join('_');
  return `board_${among === '' ? 'all' : among}_${state}`;
}

/** Before the gravest violation. */
const BEGIN: ViolationPosition = { severity: 5, firstSeen: '', licenseKey: '', violationId: '' };

/** The lists, each along an index, that together hold the violations of a filter: one per product and type. */
function listsOf({ productIds, type, areDisputes }: ViolationFilter) {
  const types = typesOf(type, areDisputes);
  return (productIds ?? [null]).flatMap((productId) => types.map((each) => ({ productId, type: each })));
}

function stateOf({ isOpen }: ViolationFilter): State {
  return isOpen === undefined ? 'any' : isOpen ? 'open' : 'resolved';
}

/** The types that both filters select, each of them for a list of its own; [undefined] stands for all in one list. */
function typesOf(
  type: Violation['type'] | undefined,
  areDisputes: boolean | undefined,
): readonly (Violation['type'] | undefined)[] {
  if (areDisputes === undefined) return [type];
  const selected = [...DETECTED_TYPES, ...REPORTED_TYPES].filter((each) => DISPUTES.includes(each) === areDisputes);
  return type === undefined ? selected : selected.filter((each) => each === type);
}

/**
 * A page of violations, gravest first.
 *
 * @param after undefined starts with the gravest
 * @param limit maximum number of violations
 */
export async function listBoardOfViolations(
  sql: Sql,
  filter: ViolationFilter,
  after: ViolationPosition | undefined,
  limit: number,
): Promise<readonly Violation[]> {
  if (filter.licenseKey !== undefined) return listOfLicense(sql, filter.licenseKey, filter, after, limit);
  const minimum = filter.minimumSeverity;
  const scans = listsOf(filter).map(({ productId, type }): IndexScan<Violation> => {
    const page = pages.get(nameOf(productId !== null, type !== undefined, stateOf(filter)))!;
    return async (from, { severity, firstSeen, licenseKey, violationId } = (after ?? BEGIN) as Violation, most) => {
      const values = { severity, firstSeen, licenseKey, violationId, limit: most, minimum, productId, type };
      return (await page.all<StoredRow>(from, values)).map(violationFrom);
    };
  });
  return mergeScans(sql, scans, mostSevereFirst, limit);
}

/** The number of violations that a filter selects; `isAtLeast` if counting ended at {@link COUNTED_AT_MOST}. */
export async function countBoardOfViolations(
  sql: Sql,
  filter: ViolationFilter,
): Promise<{ readonly count: number; readonly isAtLeast: boolean }> {
  const most = COUNTED_AT_MOST + 1;
  if (filter.licenseKey !== undefined)
    return boundedCount((await listOfLicense(sql, filter.licenseKey, filter, undefined, most)).length);
  const states = filter.isOpen === undefined ? (['open', 'resolved'] as const) : [stateOf(filter)];
  let found = 0;
  for (const { productId, type } of listsOf(filter))
    for (const state of states) {
      if (found >= most) return boundedCount(found);
      const count = counts.get(nameOf(productId !== null, type !== undefined, state))!;
      const values = { ...BEGIN, limit: most - found, minimum: filter.minimumSeverity, productId, type };
      const [row] = await count.all<{ readonly count: number }>(sql, values);
      found += row?.count ?? 0;
    }
  return boundedCount(found);
}

function boundedCount(found: number): { readonly count: number; readonly isAtLeast: boolean } {
  return { count: Math.min(found, COUNTED_AT_MOST), isAtLeast: found > COUNTED_AT_MOST };
}

/** Reads all violations of one license, as /getLicense does, because they are few. */
async function listOfLicense(
  sql: Sql,
  licenseKey: string,
  { type, areDisputes, isOpen, minimumSeverity }: ViolationFilter,
  after: ViolationPosition | undefined,
  limit: number,
): Promise<readonly Violation[]> {
  const all = await listViolations(sql, licenseKey);
  const fits = (violation: Violation) =>
    (type === undefined || violation.type === type) &&
    (areDisputes === undefined || DISPUTES.includes(violation.type) === areDisputes) &&
    (isOpen === undefined || isOpen === (violation.resolvedAt === null)) &&
    violation.severity >= minimumSeverity &&
    (after === undefined || mostSevereFirst(violation, after) > 0);
  return all.filter(fits).sort(mostSevereFirst).slice(0, limit);
}
