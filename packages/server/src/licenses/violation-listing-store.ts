/**
 * The board of violations: the gravest first, of one severity those that were opened last. Each list walks an index of
 * the open or of the resolved ones, so that a page costs the same however many there are. Neither severity nor opening
 * changes with a repeat, so repeats move nothing between two pages.
 */
import { mergeWalks, type Walk } from '../endpoint/merged-walks.ts';
import { walkAlong } from '../endpoint/page.ts';
import { type Dialect, type Sql, type Statement, statement, type Value } from '../storage/storage.ts';
import type { StoredRow } from '../storage/table.ts';
import type { Violation } from './violation.ts';
import { listViolations, VIOLATION_COLUMNS, violationFrom } from './violation-store.ts';

/** Which violations to list; what is undefined does not filter. */
export interface ViolationFilter {
  /** The only products whose violations are listed, each once. Null lists those of all products. */
  readonly productIds: readonly string[] | null;
  /** The only license whose violations are listed. */
  readonly licenseKey: string | undefined;
  readonly type: Violation['type'] | undefined;
  readonly isOpen: boolean | undefined;
  readonly minimumSeverity: number;
}

/** Where a page begins: after a violation of this severity that was opened then. */
export type ViolationPosition = Pick<Violation, 'severity' | 'firstSeen' | 'licenseKey' | 'violationId'>;

const STATES = ['open', 'resolved', 'any'] as const;
type State = (typeof STATES)[number];
const CONDITION = { open: 'v.resolved_at is null', resolved: 'v.resolved_at is not null' } as const;

/** $1 to $4 are where the page begins, $5 is the limit, $6 the lowest severity. */
function walkOf(dialect: Dialect, agreed: Readonly<Record<string, string>>, state: 'open' | 'resolved'): string {
  const cursor = { 'v.severity': '$1', 'v.first_seen': '$2', 'v.license_key': '$3', 'v.violation_id': '$4' };
  const filter = `and ${CONDITION[state]}`;
  const along = walkAlong(dialect, { agreed, cursor, last: { 'v.severity': '$6' }, filter, limit: '$5' });
  return `select ${VIOLATION_COLUMNS} from violation v ${along}`;
}

/** Open and resolved ones are read by one statement, so that one that is resolved meanwhile is listed once. */
function textOf(dialect: Dialect, agreed: Readonly<Record<string, string>>, state: State): string {
  if (state !== 'any') return walkOf(dialect, agreed, state);
  return `select * from (
      select * from (${walkOf(dialect, agreed, 'open')}) unresolved
      union all
      select * from (${walkOf(dialect, agreed, 'resolved')}) resolved
    ) v order by v."severity" desc, v."firstSeen" desc, v."licenseKey" desc, v."violationId" desc limit $5`;
}

const statements = new Map<string, Statement>();
for (const isOfProduct of [false, true])
  for (const isOfType of [false, true])
    for (const state of STATES) {
      const name = nameOf(isOfProduct, isOfType, state);
      const agreed = {
        // As the index of both has it, which no list of the product alone takes.
        ...(isOfProduct ? { [isOfType ? "v.product_id || ''" : 'v.product_id']: '$7' } : {}),
        ...(isOfType ? { 'v.type': isOfProduct ? '$8' : '$7' } : {}),
      };
      statements.set(
        name,
        statement(`violation.${name}`, (dialect) => textOf(dialect, agreed, state)),
      );
    }

/** `board_product_type_open`, `board_all_any`. */
function nameOf(isOfProduct: boolean, isOfType: boolean, state: State): string {
  const among = [...(isOfProduct ? ['product'] : []), ...(isOfType ? ['type'] : [])].join('_');
  return `board_${among === '' ? 'all' : among}_${state}`;
}

/**
 * A page of violations, the gravest first.
 *
 * @param after undefined begins with the gravest
 * @param limit violations at most
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
  const walks = (productIds ?? [null]).map((productId): Walk<Violation> => {
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
  return mergeWalks(sql, walks, gravestFirst, limit);
}

/** All of one license are read, as /getLicense does: they are few. */
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
    (after === undefined || gravestFirst(violation, after) > 0);
  return all.filter(fits).sort(gravestFirst).slice(0, limit);
}

function gravestFirst(one: ViolationPosition, other: ViolationPosition): number {
  if (one.severity !== other.severity) return other.severity - one.severity;
  for (const field of ['firstSeen', 'licenseKey', 'violationId'] as const)
    if (one[field] !== other[field]) return one[field] < other[field] ? 1 : -1;
  return 0;
}
