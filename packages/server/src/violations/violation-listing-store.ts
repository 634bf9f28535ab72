/**
 * The board of violations: gravest first, within a severity the most recently opened first. Each list reads an index of
 * open or of resolved violations, so a page costs the same for any number of them. A repeat changes neither severity
 * nor opening time, so it never moves a violation between two pages.
 */
import { type IndexScan, mergeScans } from '../endpoint/merged-scans.ts';
import { indexScan, NamedStatement } from '../storage/list.ts';
import type { Dialect, Sql } from '../storage/storage.ts';
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
const statements = new Map<string, NamedStatement<(typeof VALUES)[number]>>();
for (const isOfProduct of [false, true])
  for (const isOfType of [false, true])
    for (const state of STATES) {
      const name = nameOf(isOfProduct, isOfType, state);
      const agreed = {
        // The form of the index of product and type; lists of the product alone do not use it.
        ...(isOfProduct ? { [isOfType ? "v.product_id || ''" : 'v.product_id']: ':productId' } : {}),
        ...(isOfType ? { 'v.type': ':type' } : {}),
      };
      statements.set(
        name,
        new NamedStatement(`violation.${name}`, VALUES, (dialect) => textOf(dialect, agreed, state)),
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
  const page = statements.get(nameOf(productIds !== null, type !== undefined, state))!;
  const begin = after ?? { severity: 5, firstSeen: '', licenseKey: '', violationId: '' };
  const scans = (productIds ?? [null]).map(
    (productId): IndexScan<Violation> =>
      async (from, { severity, firstSeen, licenseKey, violationId } = begin as Violation, most) => {
        const after = { severity, firstSeen, licenseKey, violationId };
        const values = { ...after, limit: most, minimum: minimumSeverity, productId, type };
        return (await page.all<StoredRow>(from, values)).map(violationFrom);
      },
  );
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
