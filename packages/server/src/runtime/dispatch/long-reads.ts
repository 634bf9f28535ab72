/** Long reads in the thread of the client endpoints: the steps that take long run one per turn of the event loop. */
import type { LongSteps } from '../../ground/base/long-steps.ts';
import type { Sql, Statement, Value } from '../../storage/contract/storage.ts';

/** Rows of a result whose conversion counts as a long step: a few hundred microseconds. */
const MANY_ROWS = 100;
/** Characters of an answer whose encryption counts as a long step. */
const LONG_ANSWER = 65_536;

/** Statements of a read that continues with many rows in a turn of its own. */
export function withLongSteps(sql: Sql, steps: LongSteps): Sql {
  return {
    async all<Row>(statement: Statement, ...values: Value[]): Promise<Row[]> {
      const rows = await sql.all<Row>(statement, ...values);
      if (rows.length >= MANY_ROWS) await steps.turn();
      return rows;
    },
    first: (statement, ...values) => sql.first(statement, ...values),
  };
}

/** Calls `reply`, for a long answer in a turn of its own. */
export function replyInTurn(length: number, steps: LongSteps, reply: () => void): void {
  if (length < LONG_ANSWER) reply();
  else void steps.turn().then(reply);
}
