/** Options of connections to PostgreSQL: timeouts, session settings and the parsing of values. */
import type pg from 'pg';
import type { Value } from '../contract/storage.ts';
import { postgresDifferences } from './postgres-differences.ts';

/** Timeout for making a connection, or for getting a free one from the pool. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Timeout of a statement. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** Timeout of a statement that waits for a row lock. */
export const LOCK_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** The client's own timeout, for a server that vanished without closing its connections; longer than the server's. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** The settings of every session, in the form of the startup parameter `options`, which hides PGOPTIONS. */
export const SESSION_OPTIONS = [...postgresDifferences.writingSettings, ...postgresDifferences.sessionSettings]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * The options of a connection without its destination. The parameters of the URL win over these options.
 *
 * @param statementTimeoutMs 0 for no timeout; likewise `lockTimeoutMs`
 */
export function connectionOptions(statementTimeoutMs: number, lockTimeoutMs: number): pg.ClientConfig {
  return {
    application_name: 'latchkey',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    options: SESSION_OPTIONS,
    types: { getTypeParser },
  };
}

/**
 * Oids in pg_type of the integer types and of numeric, the type of their sums. Types other than these and bool are
 * text.
 */
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
