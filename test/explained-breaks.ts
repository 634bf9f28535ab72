/** Breaks that nobody can see on a machine for tests. `npm run mutants` shows the reason instead of trying them. */
import type { Break, Kind } from './breaks.ts';

/**
 * The reason why no test can notice a break: by the path of its file below the root, and by its kind and the line that
 * it changes, without indentation.
 */
export type ExplainedBreaks = Readonly<Record<string, Readonly<Record<`${Kind}: ${string}`, string>>>>;

export const EXPLAINED_BREAKS: ExplainedBreaks = {
  'packages/server/src/ground/base/random.ts': {
    'bound: const POOL_BYTES = 4096;': 'Only the number of system calls for random bytes changes.',
    'bound: const HIGHEST_START = 2 ** 31;': 'One start in two billion would be higher by one than the others can be.',
  },
  'packages/server/src/webhooks/deliveries/request.ts': {
    'bound: export const NAME_TIMEOUT_MS = 2_000;':
      'Only a name server that does not answer shows it, by the time until it is asked again.',
  },
  'packages/server/src/customers/records/change.ts': {
    'bound: const MAX_EVENTS_OF_ORDER = 1000;':
      'An order has at most 51 events: it was made, and each of its 50 seats was redeemed once.',
  },
  'packages/client/src/node/file-storage.ts': {
    'bound: const REPLACE_FOR_MS = 1000;': 'Only Windows refuses to replace a file that another program reads.',
  },
  'packages/server/src/runtime/http/log-output.ts': {
    'bound: const FIRST_PAUSE_MS = 5;': 'Only the pause before a full pipe is tried again changes.',
  },
  'packages/server/src/licensing/observed-calls/write-observed.ts': {
    'bound: const RENAMED_AT_ONCE = 100;': 'Only the number of licenses in a transaction changes.',
    'bound: const PAUSE_MS = 20;': 'Only the pace of background writes changes.',
  },
  'packages/server/src/storage/postgres/postgres.ts': {
    'bound: const END_TIMEOUT_MS = 2_000;':
      'Only a server that closes no connection shows it, by the time that an end takes.',
    'bound: const IDLE_TIMEOUT_MS = 600_000;': 'Ten minutes would have to pass.',
    'bound: const RETRY_WAIT_MS = 20;': 'Only the pause before a transaction or a read is tried again changes.',
  },
  'packages/server/src/storage/sqlite/sqlite-full-disk.ts': {
    'bound: const CHECKPOINT_PAGES_WHEN_FULL = 256;': 'The log on a full disk grows by a page more.',
  },
  'packages/server/src/operations/transfer/import.ts': {
    'bound: const BATCH_LINES = 2_000;': 'Only the number of lines in a transaction changes.',
  },
  'packages/server/src/insight/statistics/get-countries.ts': {
    'bound: const MAX_PRODUCT_DAYS = 1_100;':
      'Only three products would get a day more, which the longest period forbids anyway.',
  },
  'packages/server/src/insight/statistics/counting-licenses.ts': {
    'bound: const LICENSES_AT_ONCE = 500;': 'Only the number of licenses in a slice changes.',
  },
  'packages/server/src/storage/opening/database-wait.ts': {
    'bound: const PAUSE_MS = 250;': 'Only the pace of tries while the database is away changes.',
  },
  'packages/server/src/runtime/http/connection-room.ts': {
    'bound: const USUAL_FILES = 10_000;': 'Only a system that reports no limit of open files shows it.',
  },
  'packages/server/src/runtime/engines/sender-thread.ts': {
    'bound: const YOUNG_GENERATION_MB = 12;': 'Only the memory of the thread that sends changes, by a megabyte.',
  },
  'packages/server/src/storage/copy/page-size.ts': {
    'bound: const MAX_GROWTH = 4;': 'Only the number of rows that are copied together changes.',
  },
  'packages/server/src/platform/senders/rounds.ts': {
    'bound: const FAILURE_INTERVAL_MS = 1_000;': 'Only the pace of tries while the database is away changes.',
  },
  'packages/server/src/webhooks/deliveries/replays.ts': {
    'comparison: return eventId >= this.#first && eventId < this.#end && (types === null || includesType(types, type));':
      'No event has the id of the bound, which lacks the random part.',
  },
  'packages/server/src/platform/events/bounded-scans.ts': {
    'comparison: return one > other ? one : other;': 'Of two equal texts either one is returned.',
  },
  'packages/server/src/platform/events/rewrite-store.ts': {
    "comparison: if (events.length > 0) await tx.run(rewrite, eventTable.rows(events, ['eventId', ...REWRITTEN_FIELDS]));":
      'Only an update of no rows would be sent to the database.',
  },
  'packages/server/src/ground/base/clock.ts': {
    'bound: const MOMENTS_KEPT = 256;':
      'Only the number of texts in memory changes, each of which is the one that would be formatted again.',
  },
  'packages/client/src/node/system-text.ts': {
    'bound: const PAUSE_MS = 100;': 'Only the pause before a text is read again after a failure changes.',
  },
  'packages/server/src/storage/postgres/postgres-session.ts': {
    'comparison: if (missing.length > 0) {':
      'An empty list sets nothing, so that only a query more is sent on each new connection.',
  },
  'packages/server/src/access/console/identify.ts': {
    "logic: if (asked.access === 'console' || asked.access === 'signIn') return refuse('unauthorized');":
      'A second guard: readCredential shows these endpoints no other credential.',
  },
  'packages/server/src/licensing/session-tokens/token.ts': {
    'comparison: if (end < key.headerPart.length || !token.startsWith(key.headerPart)) return null;':
      'Only a token without claims is concerned, and without the key nobody can sign one.',
  },
  'packages/server/src/licensing/license-files/signing-keys.ts': {
    "comparison: const use = key === signer ? 'signs' : signsFrom > now && this.#given === null ? 'will sign' : 'verifies';":
      'A key that signs from this moment is the signer, so the comparison does not concern it.',
  },
};

/** Why no test can notice a break of a source; undefined where one can. */
export function explanationOf(
  { file, kind, line }: Pick<Break, 'kind' | 'line'> & { readonly file: string },
  source: string,
  explained: ExplainedBreaks = EXPLAINED_BREAKS,
): string | undefined {
  const text = source.split('\n')[line - 1]?.trim();
  return explained[file]?.[`${kind}: ${text}`];
}
