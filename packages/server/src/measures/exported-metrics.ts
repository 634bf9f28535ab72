/** The closed list of the service's own metrics; docs/metrics.md explains each to operators. */

/** Upper bounds of durations in seconds: from a call answered from memory to one that waits for a lock. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/**
 * Upper bounds of the number of calls or transactions handled together; the largest match the limits of batches and
 * groups.
 */
const HANDLED_TOGETHER = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;

/** The definition of a metric. */
export interface MetricDescription {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence for the `# HELP` line. */
  readonly help: string;
  /** The names of its labels; the values of each come from a closed list. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, ascending. */
  readonly bounds?: readonly number[];
}

export const EXPORTED_METRICS = {
  latchkey_info: {
    type: 'gauge',
    help: 'Always 1; its labels name the version and the engine.',
    labels: ['version', 'engine'],
  },
  latchkey_schema_version: { type: 'gauge', help: 'Number of the newest migration of the tables.', labels: [] },
  latchkey_requests_total: {
    type: 'counter',
    help: 'Answers, by endpoint, HTTP status and code of the refusal.',
    labels: ['endpoint', 'status', 'code'],
  },
  latchkey_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the end of the headers of a request to its answer, by endpoint.',
    labels: ['endpoint'],
    bounds: SECONDS,
  },
  latchkey_waiting_calls: {
    type: 'gauge',
    help: 'Calls that wait for their answer: for their turn, for the database, or while they are decided.',
    labels: [],
  },
  latchkey_batch_calls: {
    type: 'histogram',
    help: 'Calls of client endpoints that were decided together.',
    labels: ['batch'],
    bounds: HANDLED_TOGETHER,
  },
  latchkey_batch_wait_seconds: {
    type: 'histogram',
    help: 'How long the first call of a batch waited for the batch to begin.',
    labels: ['batch'],
    bounds: SECONDS,
  },
  latchkey_commit_duration_seconds: {
    type: 'histogram',
    help: 'How long COMMIT took.',
    labels: [],
    bounds: SECONDS,
  },
  latchkey_commit_transactions: {
    type: 'histogram',
    help: 'Transactions that shared one commit.',
    labels: [],
    bounds: HANDLED_TOGETHER,
  },
  latchkey_queue_wait_seconds: {
    type: 'histogram',
    help: 'How long calls outside the client endpoints, and jobs, waited for their turn.',
    labels: ['queue'],
    bounds: SECONDS,
  },
  latchkey_queue_calls: {
    type: 'gauge',
    help: 'Calls outside the client endpoints, and jobs, that wait for their turn or are in progress.',
    labels: ['queue', 'state'],
  },
  latchkey_shed_calls_total: {
    type: 'counter',
    help: 'Calls that were refused because they would have had to wait too long or found no room to wait.',
    labels: ['queue'],
  },
  latchkey_database_connections: {
    type: 'gauge',
    help: 'Connections of the pool to PostgreSQL.',
    labels: ['state'],
  },
  latchkey_database_connections_limit: {
    type: 'gauge',
    help: 'The most connections that the pool opens.',
    labels: [],
  },
  latchkey_database_connection_waiters: {
    type: 'gauge',
    help: 'Transactions and reads that wait for a connection of the pool.',
    labels: [],
  },
  latchkey_database_connection_wait_seconds: {
    type: 'histogram',
    help: 'How long transactions and reads waited for a connection of the pool.',
    labels: [],
    bounds: SECONDS,
  },
  latchkey_database_can: {
    type: 'gauge',
    help: 'Whether the database can be read and written to, as the last calls and probes found it: 1 or 0.',
    labels: ['what'],
  },
  latchkey_database_bytes: { type: 'gauge', help: 'Size of the database on its disk.', labels: [] },
  latchkey_disk_free_bytes: {
    type: 'gauge',
    help: 'Free room on the disk of the data directory.',
    labels: [],
  },
  latchkey_disk_bytes: { type: 'gauge', help: 'Size of the disk of the data directory.', labels: [] },
  latchkey_last_backup_timestamp_seconds: {
    type: 'gauge',
    help: 'When the newest backup that is known was made, in seconds since 1970; 0 where none is known.',
    labels: [],
  },
  latchkey_failed_jobs_total: { type: 'counter', help: 'Runs of jobs that failed; they are tried again.', labels: [] },
  latchkey_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'The longest delay of the event loop of a thread in each second.',
    labels: ['thread'],
    bounds: SECONDS,
  },
  latchkey_licenses_in_memory: { type: 'gauge', help: 'Licenses that are kept in memory for /verify.', labels: [] },
  latchkey_licenses_in_memory_limit: { type: 'gauge', help: 'The most licenses that are kept in memory.', labels: [] },
  latchkey_live_sessions: { type: 'gauge', help: 'Live floating sessions, counted up to a bound.', labels: [] },
  latchkey_live_sessions_complete: {
    type: 'gauge',
    help: 'Whether latchkey_live_sessions counted all: 1, or 0 when there are more than are counted.',
    labels: [],
  },
  latchkey_changes_total: { type: 'counter', help: 'Recorded changes, by type of event.', labels: ['type'] },
  latchkey_violations_total: { type: 'counter', help: 'Violations that were opened, by type.', labels: ['type'] },
  latchkey_log_lines_lost_total: { type: 'counter', help: 'Log lines that could not be written.', labels: [] },
  latchkey_certificate_days_left: { type: 'gauge', help: 'Days until the certificate ends.', labels: [] },
  latchkey_certificate_days_until_valid: {
    type: 'gauge',
    help: 'Days until the certificate is valid; 0 once it is.',
    labels: [],
  },
  latchkey_clock_believed: {
    type: 'gauge',
    help: 'Whether the clock is believed: 1, or 0 while nothing is removed or ended by time.',
    labels: [],
  },
  latchkey_clock_jumps_total: {
    type: 'counter',
    help: 'Jumps of the clock by more than 10 seconds against the monotonic clock, as far as rounds saw them.',
    labels: ['direction'],
  },
} as const satisfies Readonly<Record<`latchkey_${string}`, MetricDescription>>;

export type MetricName = keyof typeof EXPORTED_METRICS;

/** The names of the metrics of one type. */
type NamesOf<Type> = {
  [Name in MetricName]: (typeof EXPORTED_METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];
export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type HistogramName = NamesOf<'histogram'>;

/** The labels of a metric, each with a value. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof EXPORTED_METRICS)[Name]['labels'][number], string>
>;
