/**
 * Writes that must be recorded. A statement that changes rows of a recorded table takes a {@link RecordedTx}, and only
 * the recorder makes one, so the compiler refuses a change without its event.
 */
import type { AnyStatement, NamedSql, Tx, Value } from './storage.ts';

/** A write of a recorded table; made with {@link recorded}. */
export interface RecordedStatement extends NamedSql {
  readonly needsRecorder: true;
}

/** Marks a write as one of a recorded table. */
export function recorded(write: AnyStatement): RecordedStatement {
  return Object.assign(write, { needsRecorder: true as const });
}

declare const recorder: unique symbol;

/** A transaction for the writes of a change and of its events. Only the recorder (platform/events) makes one. */
export interface RecordedTx extends Tx {
  /** Exists for the compiler only: a {@link Tx} is no such transaction. */
  readonly [recorder]: true;
  all<Row>(statement: AnyStatement | RecordedStatement, ...values: Value[]): Promise<Row[]>;
  first<Row>(statement: AnyStatement | RecordedStatement, ...values: Value[]): Promise<Row | undefined>;
  run(statement: AnyStatement | RecordedStatement, ...values: Value[]): Promise<number>;
}
