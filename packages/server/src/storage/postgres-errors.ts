/** What a failure of PostgreSQL means to the service. */
import pg from 'pg';
import { CommitUnknown, StorageAway, StorageBusy, UniquenessViolation } from './storage.ts';

const UNIQUE_VIOLATION = '23505';
/** lock_not_available and query_canceled: what the two timeouts of a session say. */
const BUSY_CODES: readonly string[] = ['55P03', '57014'];
/** serialization_failure and deadlock_detected: nothing stayed, and the next try may succeed. */
const RETRIED_CODES: readonly string[] = ['40001', '40P01'];
/** idle_in_transaction_session_timeout, admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped. */
const CONNECTION_LOST_CODES: readonly string[] = ['25P03', '57P01', '57P02', '57P03', '57P04'];
/** read_only_sql_transaction: a standby. */
const READ_ONLY = '25006';
/** That, disk_full, and io_error. */
const UNWRITABLE_CODES: readonly string[] = [READ_ONLY, '53100', '58030'];

/** cannot_connect_now and too_many_connections: what a server says that will let clients in later. */
const LATER_CODES: readonly string[] = ['57P03', '53300'];
/** What the operating system says where nobody answers (ENOENT: at the path of a Unix socket), or where a name leads nowhere yet. */
const NOBODY_THERE_CODES: readonly string[] = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOENT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
];
/** What the client says of a connection that ended or took too long before it was there; such errors have no code. */
const NO_CONNECTION = /^(Connection terminated|timeout expired|Query read timeout)/;

/** What the pool says when all of its connections stayed busy for as long as a call waits for one. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect';
/** What the client says when the server did not answer in time. */
const ANSWER_TIMEOUT = 'Query read timeout';

/** A statement that PostgreSQL refused. Keeps no values: PostgreSQL's details show rows. */
class PostgresError extends Error {
  override readonly name = 'PostgresError';
}

/** A transaction that met others in such a way that one had to give in. */
class Deadlocked extends StorageBusy {
  override readonly name = 'Deadlocked';
}

/** A connection that ended before COMMIT was sent on it. */
export class ConnectionLost extends StorageAway {
  override readonly name = 'ConnectionLost';
  /** False where the server was silent for so long that the caller should not wait as long again. */
  readonly isWorthRetrying: boolean;

  constructor(message: string, isWorthRetrying = true) {
    super(message);
    this.isWorthRetrying = isWorthRetrying;
  }
}

/** A server that is not there, or not ready yet: what stands in the configuration may be right, and waiting may help. */
export class Unreachable extends StorageAway {
  override readonly name = 'Unreachable';
}

/** A database that can be reached and takes no writes. */
export class Unwritable extends StorageAway {
  override readonly name = 'Unwritable';
  /** Whether the server is read-only as a whole, as a standby is; else its disk is full or failing. */
  readonly isReadOnly: boolean;

  constructor(message: string, isReadOnly: boolean) {
    super(message);
    this.isReadOnly = isReadOnly;
  }
}

/** A session that the service cannot rely on. Waiting does not help: somebody has to change a setting. */
export class UnfitSession extends StorageAway {
  override readonly name = 'UnfitSession';
}

const REMEDY = 'pool_mode = session there, or connect to PostgreSQL directly (docs/failover.md, "PgBouncer")';
/** Said of a pooler that changes sessions between transactions. */
export const TRANSACTION_POOLER =
  'a pooler before PostgreSQL gives a connection another session for each transaction, as PgBouncer does with ' +
  `pool_mode = transaction or statement, so that settings, prepared statements and locks do not hold: set ${REMEDY}`;
/** What PgBouncer says of a setting that is sent when a connection is made. */
const UNSUPPORTED_PARAMETER = /^unsupported startup parameter/;

/**
 * The error that stands for a failed statement.
 *
 * @param what the statement's name, for the log
 * @param error what pg threw, or an error that is understood already, which is answered as it is
 */
export function statementError(what: string, error: unknown): Error {
  if (error instanceof StorageAway || error instanceof StorageBusy) return error;
  const { message } = error as Error;
  const said = `${what}: ${message}`;
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) {
    // A number out of range comes from a row; anything else without a code happened to the connection.
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

/** The error that stands for a COMMIT that failed after it was sent. */
export function commitError(what: string, error: unknown): Error {
  const failure = statementError(what, error);
  if (!(failure instanceof ConnectionLost)) return failure;
  return new CommitUnknown(
    `the connection was lost during COMMIT: it is unknown whether the transaction was kept (${failure.message})`,
  );
}

/** What the message of {@link connectError} begins with. */
export const CANNOT_BE_REACHED = 'PostgreSQL cannot be reached: ';

/**
 * The error that stands for a connection that the pool did not give: {@link Unreachable} where waiting may help, and not
 * where a password is wrong, a database is missing or a certificate does not fit. It names the host, never the URL; a
 * refusal on several addresses at once has a code and no message.
 */
export function connectError(error: unknown): Error {
  if (error instanceof StorageAway) return error;
  const { message, code = '' } = error as { message?: string; code?: string };
  if (error instanceof pg.DatabaseError && UNSUPPORTED_PARAMETER.test(error.message))
    return new UnfitSession(
      `PgBouncer before PostgreSQL refuses the settings of a session (${error.message}): set ignore_startup_parameters = ` +
        `options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout and ${REMEDY}`,
    );
  if (message === POOL_TIMEOUT) return new StorageBusy('all connections to PostgreSQL are in use');
  const said = `${CANNOT_BE_REACHED}${message || code}`;
  const isThereLater =
    error instanceof pg.DatabaseError
      ? code.startsWith('08') || LATER_CODES.includes(code) || CONNECTION_LOST_CODES.includes(code)
      : NOBODY_THERE_CODES.includes(code) || NO_CONNECTION.test(message ?? '');
  return isThereLater ? new Unreachable(said) : new StorageAway(said);
}

/** How often a transaction is run that deadlocks each time. */
const MOST_TRIES = 5;

/** Whether to try again: a deadlock several times, a connection lost before COMMIT was sent once. */
export function isWorthAnotherTry(error: unknown, tries: number): boolean {
  if (error instanceof Deadlocked) return tries < MOST_TRIES;
  return error instanceof ConnectionLost && error.isWorthRetrying && tries < 2;
}
