/**
 * Writes of tidying to rows of any table: one statement, or one for each row on engines where a statement locks rows of
 * one license only.
 */
import {
  type Dialect,
  type Statement,
  statement,
  type Tx,
  type Value,
  type WriteStatement,
  writeStatement,
} from '../../storage/contract/storage.ts';

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

/** A write to the rows that are due, made by {@link dueRows} and run by {@link touchDue}. */
interface DueRows {
  /** Writes the rows. Parameters: the moment if there is one, the most rows. Returns the first column of each key. */
  readonly all: WriteStatement;
  /** Selects the keys of these rows. The same parameters. */
  readonly list: Statement;
  /** Writes one row if it is still due and nobody is changing it. Parameters: its key, the moment if there is one. */
  readonly one: Statement;
}

/** Declares a write to the rows that are due, in their order. @param name of its statements */
export function dueRows(name: string, write: DueWrite): DueRows {
  const { table, key, isDue, hasMoment = true, order } = write;
  const keyOfRow = key.length === 1 ? key[0]! : `(${key.join(', ')})`;
  const columns = key.map((column) => `d.${column}`);
  const due = `select ${columns.join(', ')} from ${table} d
    where ${isDue('$1')} order by ${order} limit ${hasMoment ? '$2' : '$1'}`;
  const hasKey = columns.map((column, index) => `${column} = $${index + 1}`).join(' and ');
  return {
    all: writeStatement(
      name,
      (dialect) => `${write.write} where ${keyOfRow} in (${due} ${untouched(dialect)})
        returning ${key[0]} as "first"`,
    ),
    list: statement(`${name}_listed`, due),
    one: statement(
      `${name}_singly`,
      (dialect) => `${write.write} where ${key[0]} = $1 and ${keyOfRow} in
        (select ${columns.join(', ')} from ${table} d
         where ${hasKey} and ${isDue(`$${key.length + 1}`)} ${untouched(dialect)})`,
    ),
  };
}

/**
 * Writes to the rows that are due, at most as many as `most`, and skips those that somebody is changing.
 *
 * @param moment null if the rows are due at any time
 * @returns the first column of the key of each row that was written, for most tables its license
 */
export async function touchDue(
  tx: Tx,
  { all, list, one }: DueRows,
  moment: string | null,
  most: number,
): Promise<readonly string[]> {
  const parameters = moment === null ? [] : [moment];
  if (!tx.locksSingly)
    return (await tx.all<{ readonly first: string }>(all, ...parameters, most)).map(({ first }) => first);
  const keys = (await tx.all<Readonly<Record<string, Value>>>(list, ...parameters, most)).map(Object.values);
  const written = await Promise.all(keys.map((key) => tx.run(one, ...key, ...parameters)));
  return keys.flatMap(([first], index) => (written[index]! > 0 ? [first as string] : []));
}

/** The same; returns the number of rows. */
export async function countDue(...[tx, rows, moment, most]: Parameters<typeof touchDue>): Promise<number> {
  return (await touchDue(tx, rows, moment, most)).length;
}
