/** Maps failures of PostgreSQL to the errors of the storage. */
import pg from 'pg';
import { CommitUnknown, StorageAway, StorageBusy, UniquenessViolation } from '../contract/storage.ts';

const UNIQUE_VIOLATION = '23505';
/** lock_not_available and query_canceled: the codes of the session's lock and statement timeouts. */
const BUSY_CODES: readonly string[] = ['55P03', '57014'];
/** serialization_failure and deadlock_detected: the transaction is rolled back, and a retry may succeed. */
const RETRIED_CODES: readonly string[] = ['40001', '40P01'];
/** idle_in_transaction_session_timeout, admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped. */
const CONNECTION_LOST_CODES: readonly string[] = ['25P03', '57P01', '57P02', '57P03', '57P04'];
/** read_only_sql_transaction: a standby. */
const READ_ONLY = '25006';
/** read_only_sql_transaction, disk_full and io_error. */
const UNWRITABLE_CODES: readonly string[] = [READ_ONLY, '53100', '58030'];

/** cannot_connect_now and too_many_connections: the server will accept connections later. */
const LATER_CODES: readonly string[] = ['57P03', '53300'];
/**
 * System errors for a server that does not answer (ENOENT: the path of a Unix socket) or a name that does not resolve.
 */
const NOBODY_THERE_CODES: readonly string[] = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOENT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
];
/** Errors of OpenSSL for a chain of certificates that does not end with a known authority. */
const UNTRUSTED_CODES: readonly string[] = [
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
];
/** Messages of the driver for a connection that ended or timed out while it was made; these errors have no code. */
const NO_CONNECTION = /^(Connection terminated|timeout expired|Query read timeout)/;

/** The pool's message when no connection became free in time. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect';
/** The driver's message when the server did not answer in time. */
const ANSWER_TIMEOUT = 'Query read timeout';

/**
 * A statement that PostgreSQL refused. Keeps only the message, because PostgreSQL's error details contain row values.
 */
class PostgresError extends Error {
  override readonly name = 'PostgresError';
}

/** A transaction that PostgreSQL rolled back because of a deadlock or a serialization failure. */
class Deadlocked extends StorageBusy {
  override readonly name = 'Deadlocked';
}

/** A connection that ended before COMMIT was sent. */
export class ConnectionLost extends StorageAway {
  override readonly name = 'ConnectionLost';
  /** False if the server did not answer for so long that the caller should not wait as long again. */
  readonly isWorthRetrying: boolean;

  constructor(message: string, isWorthRetrying = true) {
    super(message);
    this.isWorthRetrying = isWorthRetrying;
  }
}

/** A server that is missing or not ready yet. The configuration may be right, and waiting may help. */
export class Unreachable extends StorageAway {
  override readonly name = 'Unreachable';
}

/** A database that is reachable but refuses writes. */
export class Unwritable extends StorageAway {
  override readonly name = 'Unwritable';
  /** True for a read-only server, for example a standby; false when its disk is full or failing. */
  readonly isReadOnly: boolean;

  constructor(message: string, isReadOnly: boolean) {
    super(message);
    this.isReadOnly = isReadOnly;
  }
}

/** A session that the service cannot rely on. Waiting does not help: an operator has to change a setting. */
export class UnfitSession extends StorageAway {
  override readonly name = 'UnfitSession';
}

const REMEDY = 'pool_mode = session there, or connect to PostgreSQL directly (docs/operators/failover.md, "PgBouncer")';
/** The error for a pooler that changes sessions between transactions. */
export const TRANSACTION_POOLER =
  'a pooler before PostgreSQL gives a connection another session for each transaction, as PgBouncer does with ' +
  `pool_mode = transaction or statement, so that settings, prepared statements and locks do not hold: set ${REMEDY}`;
/** PgBouncer's message for a connection option that it does not accept. */
const UNSUPPORTED_PARAMETER = /^unsupported startup parameter/;

/**
 * The storage error for a failed statement.
 *
 * @param what the statement's name, for the log
 * @param error an error of the driver; StorageAway and StorageBusy are returned unchanged
 */
export function statementError(what: string, error: unknown): Error {
  if (error instanceof StorageAway || error instanceof StorageBusy) return error;
  const { message } = error as Error;
  const said = `${what}: ${message}`;
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) {
    // A RangeError is an unsafe number in a row. Any other error without a code is a failure of the connection.
    return error instanceof RangeError ? new PostgresError(said) : new ConnectionLost(said, message !== ANSWER_TIMEOUT);
  }
  const { code } = error;
  if (code === UNIQUE_VIOLATION) return new UniquenessViolation(said);
  if (RETRIED_CODES.includes(code)) return new Deadlocked(said);
  if (BUSY_CODES.includes(code)) return new StorageBusy(said);
  if (code.startsWith('08') || CONNECTION_LOST_CODES.includes(code)) return new ConnectionLost(said);
  if (UNWRITABLE_CODES.includes(code)) return new Unwritable(said, code === READ_ONLY);
  // insufficient_resources
  if (code.startsWith('53')) return new StorageBusy(said);
  return new PostgresError(said);
}

/** The storage error for a COMMIT that failed after it was sent. */
export function commitError(what: string, error: unknown): Error {
  const failure = statementError(what, error);
  if (!(failure instanceof ConnectionLost)) return failure;
  return new CommitUnknown(
    `the connection was lost during COMMIT: it is unknown whether the transaction was kept (${failure.message})`,
  );
}

/** The beginning of the messages of {@link connectError}. */
export const CANNOT_BE_REACHED = 'PostgreSQL cannot be reached: ';

/**
 * The storage error for a connection that could not be made. It is {@link Unreachable} if waiting may help, but not for
 * a wrong password, a missing database or a bad certificate. It names the host, never the URL. A refusal on several
 * addresses at once has a code and no message.
 */
export function connectError(error: unknown): Error {
  if (error instanceof StorageAway) return error;
  const { message, code = '' } = error as { message?: string; code?: string };
  if (error instanceof pg.DatabaseError && UNSUPPORTED_PARAMETER.test(error.message))
    return new UnfitSession(
      `PgBouncer before PostgreSQL refuses the settings of a session (${error.message}): set ignore_startup_parameters = ` +
        `options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout and ${REMEDY}`,
    );
  if (UNTRUSTED_CODES.includes(code))
    return new StorageAway(
      `${CANNOT_BE_REACHED}its certificate was signed by an authority that this machine does not know (${code}): save the ` +
        'certificate of the authority, which the provider of the database offers, and add sslrootcert=FILE to DATABASE_URL',
    );
  if (message === POOL_TIMEOUT) return new StorageBusy('all connections to PostgreSQL are in use');
  const said = `${CANNOT_BE_REACHED}${message || code}`;
  const isThereLater =
    error instanceof pg.DatabaseError
      ? code.startsWith('08') || LATER_CODES.includes(code) || CONNECTION_LOST_CODES.includes(code)
      : NOBODY_THERE_CODES.includes(code) || NO_CONNECTION.test(message ?? '');
  return isThereLater ? new Unreachable(said) : new StorageAway(said);
}

/** Maximum number of tries of a transaction that deadlocks or cannot be serialized. */
const MAX_TRIES = 10;

/** Whether to retry: several times after a deadlock, once after a connection lost before COMMIT was sent. */
export function isWorthAnotherTry(error: unknown, tries: number): boolean {
  if (error instanceof Deadlocked) return tries < MAX_TRIES;
  return error instanceof ConnectionLost && error.isWorthRetrying && tries < 2;
}
