/**
 * The board of violations: gravest first and within a severity the most recently opened first, or the oldest first.
 * Each list reads an index of open or of resolved violations, so a page costs the same for any number of them. A repeat
 * changes neither severity nor opening time, so it never moves a violation between two pages.
 *
 * The indexes have the opening times in order within a severity only. So a range of times, and the order by time, read
 * one list for each severity.
 */
import { AFTER_MOMENT } from '../../platform/endpoint/creation-range.ts';
import { fallingBy, type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import type { Dialect, Sql } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import { DETECTED_TYPES } from './observation.ts';
import { GRAVEST_LEVEL, REPORTED_TYPES, type Violation } from './violation.ts';
import { listViolations, VIOLATION_COLUMNS, violationFrom } from './violation-store.ts';

/** The orders of the board. */
export const VIOLATION_ORDERS = ['gravest', 'oldest'] as const;
type ViolationOrder = (typeof VIOLATION_ORDERS)[number];

const newestFirst = fallingBy('firstSeen', 'licenseKey', 'violationId');
const COMPARED: Readonly<Record<ViolationOrder, (one: ViolationPosition, other: ViolationPosition) => number>> = {
  gravest: fallingBy('severity', 'firstSeen', 'licenseKey', 'violationId'),
  oldest: (one, other) => newestFirst(other, one),
};

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
  /** Opened at this 24-character timestamp or later. */
  readonly firstSeenFrom?: string | undefined;
  /** Opened at this 24-character timestamp or earlier. */
  readonly firstSeenTo?: string | undefined;
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

/** A statement's list: all severities, gravest first; or one severity by the opening time, within a range of it. */
type Form = 'board' | 'newest' | 'oldest';

/** PostgreSQL would take a parameter in an array for text. */
const SEVERITY = 'cast(:severity as bigint)';
const TIMES = { 'v.first_seen': ':firstSeen', 'v.license_key': ':licenseKey', 'v.violation_id': ':violationId' };

function scanOf(
  dialect: Dialect,
  agreed: Readonly<Record<string, string>>,
  state: 'open' | 'resolved',
  form: Form,
): string {
  const list =
    form === 'board'
      ? { agreed, cursor: { 'v.severity': ':severity', ...TIMES }, last: { 'v.severity': ':minimum' } }
      : {
          ...{ agreed: { ...agreed, 'v.severity': SEVERITY }, cursor: TIMES, last: { 'v.first_seen': ':end' } },
          isRising: form === 'oldest',
        };
  const along = indexScan(dialect, { ...list, filter: `and ${CONDITION[state]}`, limit: ':limit' });
  return `select ${VIOLATION_COLUMNS} from violation v ${along}`;
}

/** One statement reads both open and resolved violations, so that one resolved meanwhile is listed once. */
function textOf(dialect: Dialect, agreed: Readonly<Record<string, string>>, state: State, form: Form): string {
  if (state !== 'any') return scanOf(dialect, agreed, state, form);
  const columns = [...(form === 'board' ? ['severity'] : []), 'firstSeen', 'licenseKey', 'violationId'];
  const order = columns.map((column) => `v."${column}" ${form === 'oldest' ? 'asc' : 'desc'}`).join(', ');
  return `select * from (
      select * from (${scanOf(dialect, agreed, 'open', form)}) unresolved
      union all
      select * from (${scanOf(dialect, agreed, 'resolved', form)}) resolved
    ) v order by ${order} limit :limit`;
}

/** The values of a page, in the order of the parameters. */
const VALUES = [
  ...(['severity', 'firstSeen', 'licenseKey', 'violationId', 'limit', 'minimum', 'end', 'productId', 'type'] as const),
];
type BoardStatement = NamedStatement<(typeof VALUES)[number]>;
const pages = new Map<string, BoardStatement>();
const counts = new Map<string, BoardStatement>();
for (const isOfProduct of [false, true])
  for (const isOfType of [false, true]) {
    const agreed = {
      // The form of the index of product and type; lists of the product alone do not use it.
      ...(isOfProduct ? { [isOfType ? "v.product_id || ''" : 'v.product_id']: ':productId' } : {}),
      ...(isOfType ? { 'v.type': ':type' } : {}),
    };
    for (const state of STATES)
      for (const form of ['board', 'newest', 'oldest'] as const) {
        const name = nameOf(isOfProduct, isOfType, state, form);
        const page = (dialect: Dialect) => textOf(dialect, agreed, state, form);
        pages.set(name, new NamedStatement(`violation.${name}`, VALUES, page));
        if (state === 'any' || form === 'oldest') continue;
        const counted = (dialect: Dialect) =>
          `select count(*) as "count" from (${scanOf(dialect, agreed, state, form)}) counted`;
        counts.set(name, new NamedStatement(`violation.count_${name}`, VALUES, counted));
      }
  }

/** A statement's name: `board_product_type_open`, `newest_all_any`. */
function nameOf(isOfProduct: boolean, isOfType: boolean, state: State, form: Form): string {
  const among = [...(isOfProduct ? ['product'] : []), ...(isOfType ? ['type'] : [])].join('_');
  return `${form}_${among === '' ? 'all' : among}_${state}`;
}

/** Before the gravest violation. */
const BEGIN: ViolationPosition = { severity: GRAVEST_LEVEL + 1, firstSeen: '', licenseKey: '', violationId: '' };

/** A list along an index, from a place in it; `end` is the last opening time of a list of one severity. */
interface BoardList {
  readonly form: Form;
  readonly productId: string | null;
  readonly type: Violation['type'] | undefined;
  readonly place: ViolationPosition;
  readonly end?: string;
}

/** The lists that together hold the violations of a filter after a place: one per product and type, and severity. */
function listsOf(
  filter: ViolationFilter,
  order: ViolationOrder,
  after: ViolationPosition | undefined,
): readonly BoardList[] {
  const { productIds, type, areDisputes, firstSeenFrom, firstSeenTo } = filter;
  const ofEach = (part: Pick<BoardList, 'form' | 'place' | 'end'>) =>
    (productIds ?? [null]).flatMap((productId) =>
      typesOf(type, areDisputes).map((each) => ({ ...part, productId, type: each })),
    );
  if (order === 'gravest' && firstSeenFrom === undefined && firstSeenTo === undefined)
    return ofEach({ form: 'board', place: after ?? BEGIN });
  return partsOf(filter, order, after).flatMap(ofEach);
}

/** The severities that the filter selects, each with its part of the range after a place, gravest first. */
function partsOf(
  { minimumSeverity, firstSeenFrom: from = '', firstSeenTo: to = AFTER_MOMENT }: ViolationFilter,
  order: ViolationOrder,
  after: ViolationPosition | undefined,
): readonly Pick<BoardList, 'form' | 'place' | 'end'>[] {
  const isRising = order === 'oldest';
  const form = isRising ? 'oldest' : 'newest';
  const [firstSeen, end] = isRising ? [from, to] : [`${to}${AFTER_MOMENT}`, from];
  const severities = [4, 3, 2, 1].filter((each) => each >= minimumSeverity);
  return severities.flatMap((severity) => {
    const first = { severity, firstSeen, licenseKey: '', violationId: '' };
    if (after === undefined) return [{ form, place: first, end }];
    if (isRising) return [{ form, place: laterOf(first, { ...after, severity }, order), end }];
    if (severity > after.severity) return [];
    return [{ form, place: severity === after.severity ? laterOf(first, after, order) : first, end }];
  });
}

/** The place that comes later in an order. */
function laterOf(one: ViolationPosition, other: ViolationPosition, order: ViolationOrder): ViolationPosition {
  return COMPARED[order](one, other) > 0 ? one : other;
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
 * A page of violations.
 *
 * @param after undefined starts with the first
 * @param limit maximum number of violations
 */
export async function listBoardOfViolations(
  sql: Sql,
  filter: ViolationFilter,
  after: ViolationPosition | undefined,
  limit: number,
  order: ViolationOrder = 'gravest',
): Promise<readonly Violation[]> {
  if (filter.licenseKey !== undefined) return listOfLicense(sql, filter.licenseKey, filter, after, limit, order);
  const scans = listsOf(filter, order, after).map(({ place, form, end, productId, type }): IndexScan<Violation> => {
    const page = pages.get(nameOf(productId !== null, type !== undefined, stateOf(filter), form))!;
    const agreed = { minimum: filter.minimumSeverity, end, productId, type };
    return async (from, { severity, firstSeen, licenseKey, violationId } = place as Violation, most) => {
      const values = { severity, firstSeen, licenseKey, violationId, limit: most, ...agreed };
      return (await page.all<StoredRow>(from, values)).map(violationFrom);
    };
  });
  return mergeScans(sql, scans, COMPARED[order], limit);
}

/** The number of violations that a filter selects; `isAtLeast` if counting ended at {@link COUNTED_AT_MOST}. */
export async function countBoardOfViolations(
  sql: Sql,
  filter: ViolationFilter,
): Promise<{ readonly count: number; readonly isAtLeast: boolean }> {
  const most = COUNTED_AT_MOST + 1;
  if (filter.licenseKey !== undefined)
    return boundedCount((await listOfLicense(sql, filter.licenseKey, filter, undefined, most, 'gravest')).length);
  const states = filter.isOpen === undefined ? (['open', 'resolved'] as const) : [stateOf(filter)];
  let found = 0;
  for (const { productId, type, form, place, end } of listsOf(filter, 'gravest', undefined))
    for (const state of states) {
      if (found >= most) return boundedCount(found);
      const count = counts.get(nameOf(productId !== null, type !== undefined, state, form))!;
      const values = { ...place, limit: most - found, minimum: filter.minimumSeverity, end, productId, type };
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
  { type, areDisputes, isOpen, minimumSeverity, firstSeenFrom, firstSeenTo }: ViolationFilter,
  after: ViolationPosition | undefined,
  limit: number,
  order: ViolationOrder,
): Promise<readonly Violation[]> {
  const all = await listViolations(sql, licenseKey);
  const fits = (violation: Violation) =>
    (type === undefined || violation.type === type) &&
    (areDisputes === undefined || DISPUTES.includes(violation.type) === areDisputes) &&
    (isOpen === undefined || isOpen === (violation.resolvedAt === null)) &&
    violation.severity >= minimumSeverity &&
    (firstSeenFrom === undefined || violation.firstSeen >= firstSeenFrom) &&
    (firstSeenTo === undefined || violation.firstSeen <= firstSeenTo) &&
    (after === undefined || COMPARED[order](violation, after) > 0);
  return all.filter(fits).sort(COMPARED[order]).slice(0, limit);
}
