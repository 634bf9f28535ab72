/** How connections to PostgreSQL are made: their timeouts, the settings of their sessions, and what their values become. */
import type pg from 'pg';
import type { EngineDifferences } from './engine-differences.ts';
import type { Value } from './storage.ts';

/** How long to wait for a connection to be made, or for one of the pool that is free. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** How long a statement may take. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** How long a statement waits for a row that somebody else has locked. */
export const LOCK_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** The client's own timeout, for a server that is gone without a word; longer than the server's. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** The settings of every session, as the server takes them when a connection is made. */
export const sessionOptions = ({ sessionSettings, writingSettings }: EngineDifferences): string =>
  [...writingSettings, ...sessionSettings].map((setting) => `-c ${setting}`).join(' ');

/**
 * The options of a connection, but for where it leads: the parameters of its URL win over what is set here.
 *
 * @param statementTimeoutMs 0: none; likewise `lockTimeoutMs`
 */
export function connectionOptions(
  differences: EngineDifferences,
  statementTimeoutMs: number,
  lockTimeoutMs: number,
): pg.ClientConfig {
  return {
    application_name: 'latchkey',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    options: sessionOptions(differences),
    types: { getTypeParser },
  };
}

/** The types of integers, of sums of them, and bool, by their numbers in pg_type; all others are read as text. */
const INTEGER_TYPES: readonly number[] = [20, 21, 23, 1700];
const BOOLEAN_TYPE = 16;

function getTypeParser(type: number): (text: string) => Value {
  if (INTEGER_TYPES.includes(type)) return toSafeInteger;
  return type === BOOLEAN_TYPE ? (text) => (text === 't' ? 1 : 0) : (text) => text;
}

function toSafeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('a number in the database is out of range');
  return number;
}
