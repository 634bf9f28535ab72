/** The metrics of the process and of the rooms below the slices. A slice declares its own (`Slice.metrics`). */
import { declareMetrics } from './metric.ts';

/** Upper bounds of durations in seconds: from a call answered from memory to one that waits for a lock. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/**
 * Upper bounds of the number of calls or transactions handled together; the largest match the limits of batches and
 * groups.
 */
const HANDLED_TOGETHER = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;

export const NODE_METRICS = declareMetrics({
  latchkey_info: {
    type: 'gauge',
    help: 'Always 1; the labels hold the version and the engine.',
    labels: ['version', 'engine'],
  },
  latchkey_requests_total: {
    type: 'counter',
    help: 'Answers, by endpoint, HTTP status and refusal code.',
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
    help: 'Calls in progress: queued, waiting for the database, or being decided.',
    labels: [],
  },
  latchkey_batch_calls: {
    type: 'histogram',
    help: 'Calls of client endpoints in one batch.',
    labels: ['batch'],
    bounds: HANDLED_TOGETHER,
  },
  latchkey_batch_wait_seconds: {
    type: 'histogram',
    help: 'Time that the first call of a batch waited for the batch to begin.',
    labels: ['batch'],
    bounds: SECONDS,
  },
  latchkey_commit_duration_seconds: {
    type: 'histogram',
    help: 'Duration of COMMIT.',
    labels: [],
    bounds: SECONDS,
  },
  latchkey_commit_transactions: {
    type: 'histogram',
    help: 'Transactions in one commit.',
    labels: [],
    bounds: HANDLED_TOGETHER,
  },
  latchkey_queue_wait_seconds: {
    type: 'histogram',
    help: 'Time that calls outside the client endpoints, and jobs, waited in the queue.',
    labels: ['queue'],
    bounds: SECONDS,
  },
  latchkey_queue_calls: {
    type: 'gauge',
    help: 'Calls outside the client endpoints, and jobs, that are waiting or in progress.',
    labels: ['queue', 'state'],
  },
  latchkey_shed_calls_total: {
    type: 'counter',
    help: 'Calls that were refused because the queue was full or too slow.',
    labels: ['queue'],
  },
  latchkey_database_connections: {
    type: 'gauge',
    help: 'Connections of the pool to PostgreSQL.',
    labels: ['state'],
  },
  latchkey_database_connections_limit: {
    type: 'gauge',
    help: 'Maximum number of connections in the pool.',
    labels: [],
  },
  latchkey_database_connection_waiters: {
    type: 'gauge',
    help: 'Transactions and reads that wait for a connection of the pool.',
    labels: [],
  },
  latchkey_database_connection_wait_seconds: {
    type: 'histogram',
    help: 'Time that transactions and reads waited for a connection of the pool.',
    labels: [],
    bounds: SECONDS,
  },
  latchkey_database_can: {
    type: 'gauge',
    help: 'Whether the database can be read and written, by the last calls and probes: 1 or 0.',
    labels: ['what'],
  },
  latchkey_database_bytes: { type: 'gauge', help: 'Size of the database on its disk.', labels: [] },
  latchkey_disk_free_bytes: {
    type: 'gauge',
    help: 'Free space on the disk of the data directory.',
    labels: [],
  },
  latchkey_disk_bytes: { type: 'gauge', help: 'Size of the disk of the data directory.', labels: [] },
  latchkey_last_backup_timestamp_seconds: {
    type: 'gauge',
    help: 'Time of the newest known backup, in seconds since 1970; 0 if none is known.',
    labels: [],
  },
  latchkey_failed_jobs_total: { type: 'counter', help: 'Failed runs of jobs; they are retried.', labels: [] },
  latchkey_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'The longest delay of the event loop of a thread in each second.',
    labels: ['thread'],
    bounds: SECONDS,
  },
  latchkey_licenses_in_memory: { type: 'gauge', help: 'Licenses in the memory of /verify.', labels: [] },
  latchkey_licenses_in_memory_limit: { type: 'gauge', help: 'Maximum number of licenses in memory.', labels: [] },
  latchkey_changes_total: { type: 'counter', help: 'Recorded changes, by type of event.', labels: ['type'] },
  latchkey_log_lines_lost_total: { type: 'counter', help: 'Log lines that could not be written.', labels: [] },
  latchkey_certificate_days_left: { type: 'gauge', help: 'Days until the certificate expires.', labels: [] },
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
    help: 'Jumps of the clock by more than 10 seconds against the monotonic clock, seen by its rounds.',
    labels: ['direction'],
  },
  latchkey_connections: { type: 'gauge', help: 'Open connections of clients and proxies.', labels: [] },
  latchkey_connections_limit: { type: 'gauge', help: 'Maximum number of open connections.', labels: [] },
  latchkey_closed_connections_total: {
    type: 'counter',
    help: 'Connections that were closed because a bound was reached, by reason.',
    labels: ['reason'],
  },
  latchkey_unsent_bytes: {
    type: 'gauge',
    help: 'Bytes of answers that clients have not read, and of requests that wait behind them.',
    labels: [],
  },
  latchkey_unsent_bytes_limit: { type: 'gauge', help: 'Maximum of those bytes.', labels: [] },
});
