/** How connections to PostgreSQL are made: their timeouts, the settings of their sessions, and what their values become. */
import type pg from 'pg';
import type { Value } from './storage.ts';

/** How long to wait for a connection to be made, or for one of the pool that is free. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** How long a statement may take. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** How long a statement waits for a row that somebody else has locked. */
export const LOCK_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** The client's own patience, for a server that is gone without a word; longer than the server's. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * Settings of every session. All statements find their rows by an index and take them in its order, whatever the values,
 * and each takes microseconds; PostgreSQL, which plans for any workload, has to be told:
 *
 * - A plan made while the tables are nearly empty walks through them and is kept until statistics are gathered, 40 times
 *   slower at 50,000 licenses. So walking is made to look expensive from the start, and so is gathering rows to sort them:
 *   a page of a hundred must not sort what a reseller bought in years.
 * - That makes plans look worth compiling or spreading over several processes. Starting these took 10 ms of each list of
 *   expired licenses among ten million.
 * - A plan for any values is taken from the first. Left to itself, PostgreSQL plans lists anew for each page, a third of
 *   their time.
 */
export const SESSION_OPTIONS = [
  'synchronous_commit=on',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'max_parallel_workers_per_gather=0',
  'jit=off',
  'plan_cache_mode=force_generic_plan',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * The options of a connection.
 *
 * @param url its parameters win over the timeouts set here
 * @param statementTimeoutMs 0: none; likewise `lockTimeoutMs`
 */
export function connectionOptions(url: string, statementTimeoutMs: number, lockTimeoutMs: number): pg.ClientConfig {
  return {
    connectionString: url,
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
