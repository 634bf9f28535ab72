/** Writes of tidying to the rows of any table that are due. */
import { type Dialect, type Tx, type WriteStatement, writeStatement } from '../../storage/contract/storage.ts';

/**
 * Ends the select of the rows to process: rows that another transaction is changing are left for the next round.
 * Waiting for them would delay every transaction that waits for the rows of this step, and once they are free they may
 * need no tidying any more.
 */
export const untouched = ({ forUpdate }: Dialect): string => (forUpdate === '' ? '' : `${forUpdate} skip locked`);

/** The parts of a write to rows `d` that are due. */
interface DueWrite {
  readonly table: string;
  /** Columns of its primary key. */
  readonly key: readonly string[];
  /** The condition to be due. */
  readonly isDue: (moment: string) => string;
  /** Whether {@link isDue} contains the moment; true by default. */
  readonly hasMoment?: boolean;
  readonly order: string;
  /** The statement before its condition. */
  readonly write: string;
}

/**
 * Declares a write to the rows that are due, in their order; {@link touchDue} runs it. Its parameters: the moment if
 * there is one, the most rows. It returns the first column of each key.
 */
export function dueRows(name: string, write: DueWrite): WriteStatement {
  const { table, key, isDue, hasMoment = true, order } = write;
  const keyOfRow = key.length === 1 ? key[0]! : `(${key.join(', ')})`;
  const columns = key.map((column) => `d.${column}`).join(', ');
  const due = `select ${columns} from ${table} d
    where ${isDue('$1')} order by ${order} limit ${hasMoment ? '$2' : '$1'}`;
  return writeStatement(
    name,
    (dialect) => `${write.write} where ${keyOfRow} in (${due} ${untouched(dialect)})
      returning ${key[0]} as "first"`,
  );
}

/**
 * Writes to the rows that are due, at most as many as `most`, and skips those that somebody is changing.
 *
 * @param moment null if the rows are due at any time
 * @returns the first column of the key of each row that was written, for most tables its license
 */
export async function touchDue(
  tx: Tx,
  due: WriteStatement,
  moment: string | null,
  most: number,
): Promise<readonly string[]> {
  const rows = await tx.all<{ readonly first: string }>(due, ...(moment === null ? [] : [moment]), most);
  return rows.map(({ first }) => first);
}

/** The same; returns the number of rows. */
export async function countDue(...[tx, due, moment, most]: Parameters<typeof touchDue>): Promise<number> {
  return (await touchDue(tx, due, moment, most)).length;
}
