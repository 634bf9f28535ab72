/**
 * The board of violations: gravest first, within a severity the most recently opened first. Each list reads an index of
 * open or of resolved violations, so a page costs the same for any number of them. A repeat changes neither severity
 * nor opening time, so it never moves a violation between two pages.
 */
import { type IndexScan, mergeScans } from '../endpoint/merged-scans.ts';
import { indexScan } from '../endpoint/page.ts';
import { type Dialect, type Sql, type Statement, statement, type Value } from '../storage/storage.ts';
import type { StoredRow } from '../storage/table.ts';
import type { Violation } from './violation.ts';
import { listViolations, VIOLATION_COLUMNS, violationFrom } from './violation-store.ts';

/** The filter of the board; undefined fields do not filter. */
export interface ViolationFilter {
  /** The products whose violations are listed, each once. Null lists violations of all products. */
  readonly productIds: readonly string[] | null;
  /** The only license whose violations are listed. */
  readonly licenseKey: string | undefined;
  readonly type: Violation['type'] | undefined;
  readonly isOpen: boolean | undefined;
  readonly minimumSeverity: number;
}

/** The start of a page: after this violation's severity and opening time. */
export type ViolationPosition = Pick<Violation, 'severity' | 'firstSeen' | 'licenseKey' | 'violationId'>;

const STATES = ['open', 'resolved', 'any'] as const;
type State = (typeof STATES)[number];
const CONDITION = { open: 'v.resolved_at is null', resolved: 'v.resolved_at is not null' } as const;

/** $1 to $4 are the start of the page, $5 is the limit, $6 the lowest severity. */
function scanOf(dialect: Dialect, agreed: Readonly<Record<string, string>>, state: 'open' | 'resolved'): string {
  const cursor = { 'v.severity': '$1', 'v.first_seen': '$2', 'v.license_key': '$3', 'v.violation_id': '$4' };
  const filter = `and ${CONDITION[state]}`;
  const along = indexScan(dialect, { agreed, cursor, last: { 'v.severity': '$6' }, filter, limit: '$5' });
  return `select ${VIOLATION_COLUMNS} from violation v ${along}`;
}

/** One statement reads both open and resolved violations, so that one resolved meanwhile is listed once. */
function textOf(dialect: Dialect, agreed: Readonly<Record<string, string>>, state: State): string {
  if (state !== 'any') return scanOf(dialect, agreed, state);
  return `select * from (
      select * from (${scanOf(dialect, agreed, 'open')}) unresolved
      union all
      select * from (${scanOf(dialect, agreed, 'resolved')}) resolved
    ) v order by v."severity" desc, v."firstSeen" desc, v."licenseKey" desc, v."violationId" desc limit $5`;
}

const statements = new Map<string, Statement>();
for (const isOfProduct of [false, true])
  for (const isOfType of [false, true])
    for (const state of STATES) {
      const name = nameOf(isOfProduct, isOfType, state);
      const agreed = {
        // The form of the index of product and type; lists of the product alone do not use it.
        ...(isOfProduct ? { [isOfType ? "v.product_id || ''" : 'v.product_id']: '$7' } : {}),
        ...(isOfType ? { 'v.type': isOfProduct ? '$8' : '$7' } : {}),
      };
      statements.set(
        name,
        statement(`violation.${name}`, (dialect) => textOf(dialect, agreed, state)),
      );
    }

/** A statement's name: `board_product_type_open`, `board_all_any`. */
function nameOf(isOfProduct: boolean, isOfType: boolean, state: State): string {
  const among = [...(isOfProduct ? ['product'] : []), ...(isOfType ? ['type'] : [])].join('_');
  return `board_${among === '' ? 'all' : among}_${state}`;
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
  const { productIds, type, isOpen, minimumSeverity } = filter;
  const state: State = isOpen === undefined ? 'any' : isOpen ? 'open' : 'resolved';
  const page = statements.get(nameOf(productIds !== null, type !== undefined, state)) as Statement;
  const begin = after ?? { severity: 5, firstSeen: '', licenseKey: '', violationId: '' };
  const scans = (productIds ?? [null]).map((productId): IndexScan<Violation> => {
    const values: Value[] = [
      minimumSeverity,
      ...(productId === null ? [] : [productId]),
      ...(type === undefined ? [] : [type]),
    ];
    return async (from, { severity, firstSeen, licenseKey, violationId } = begin as Violation, most) => {
      const rows = await from.all<StoredRow>(page, severity, firstSeen, licenseKey, violationId, most, ...values);
      return rows.map(violationFrom);
    };
  });
  return mergeScans(sql, scans, mostSevereFirst, limit);
}

/** Reads all violations of one license, as /getLicense does, because they are few. */
async function listOfLicense(
  sql: Sql,
  licenseKey: string,
  { type, isOpen, minimumSeverity }: ViolationFilter,
  after: ViolationPosition | undefined,
  limit: number,
): Promise<readonly Violation[]> {
  const all = await listViolations(sql, licenseKey);
  const fits = (violation: Violation) =>
    (type === undefined || violation.type === type) &&
    (isOpen === undefined || isOpen === (violation.resolvedAt === null)) &&
    violation.severity >= minimumSeverity &&
    (after === undefined || mostSevereFirst(violation, after) > 0);
  return all.filter(fits).sort(mostSevereFirst).slice(0, limit);
}

function mostSevereFirst(one: ViolationPosition, other: ViolationPosition): number {
  if (one.severity !== other.severity) return other.severity - one.severity;
  for (const field of ['firstSeen', 'licenseKey', 'violationId'] as const)
    if (one[field] !== other[field]) return one[field] < other[field] ? 1 : -1;
  return 0;
}
