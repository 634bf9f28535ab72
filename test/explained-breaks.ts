/** Breaks that nobody can see on a machine for tests. `npm run mutants` shows the reason instead of trying them. */
import type { Break } from './breaks.ts';

/** A break, and why no test can notice it. */
export interface ExplainedBreak {
  /** Path below the root. */
  readonly file: string;
  readonly kind: Break['kind'];
  /** The line that it changes, without indentation. */
  readonly line: string;
  readonly reason: string;
}

export const EXPLAINED_BREAKS: readonly ExplainedBreak[] = [
  {
    file: 'packages/server/src/base/random.ts',
    kind: 'bound',
    line: 'const POOL_BYTES = 4096;',
    reason: 'Only the number of system calls for random bytes changes.',
  },
  {
    file: 'packages/server/src/deliveries/request.ts',
    kind: 'bound',
    line: 'export const NAME_TIMEOUT_MS = 2_000;',
    reason: 'Only a name server that does not answer shows it, by the time until it is asked again.',
  },
  {
    file: 'packages/server/src/customers/change.ts',
    kind: 'bound',
    line: 'const MOST_EVENTS_OF_ORDER = 1000;',
    reason: 'An order has at most 51 events: it was made, and each of its 50 seats was redeemed once.',
  },
  {
    file: 'packages/server/src/base/random.ts',
    kind: 'bound',
    line: 'const HIGHEST_START = 2 ** 31;',
    reason: 'One start in two billion would be higher by one than the others can be.',
  },
  {
    file: 'packages/client/src/node/file-storage.ts',
    kind: 'bound',
    line: 'const REPLACE_FOR_MS = 1000;',
    reason: 'Only Windows refuses to replace a file that another program reads.',
  },
  {
    file: 'packages/server/src/http/log-output.ts',
    kind: 'bound',
    line: 'const FIRST_PAUSE_MS = 5;',
    reason: 'Only the pause before a full pipe is tried again changes.',
  },
  {
    file: 'packages/server/src/observed-calls/write-observed.ts',
    kind: 'bound',
    line: 'const RENAMED_AT_ONCE = 100;',
    reason: 'Only the number of licenses in a transaction changes.',
  },
  {
    file: 'packages/server/src/storage/postgres.ts',
    kind: 'bound',
    line: 'const END_TIMEOUT_MS = 2_000;',
    reason: 'Only a server that closes no connection shows it, by the time that an end takes.',
  },
  {
    file: 'packages/server/src/storage/postgres.ts',
    kind: 'bound',
    line: 'const IDLE_TIMEOUT_MS = 600_000;',
    reason: 'Ten minutes would have to pass.',
  },
  {
    file: 'packages/server/src/storage/postgres.ts',
    kind: 'bound',
    line: 'const RETRY_WAIT_MS = 20;',
    reason: 'Only the pause before a transaction or a read is tried again changes.',
  },
  {
    file: 'packages/server/src/storage/sqlite-full-disk.ts',
    kind: 'bound',
    line: 'const CHECKPOINT_PAGES_WHEN_FULL = 256;',
    reason: 'The log on a full disk grows by a page more.',
  },
  {
    file: 'packages/server/src/transfer/import.ts',
    kind: 'bound',
    line: 'const BATCH_LINES = 2_000;',
    reason: 'Only the number of lines in a transaction changes.',
  },
  {
    file: 'packages/server/src/statistics/get-countries.ts',
    kind: 'bound',
    line: 'const MAXIMUM_PRODUCT_DAYS = 1_100;',
    reason: 'Only three products would get a day more, which the longest period forbids anyway.',
  },
  {
    file: 'packages/server/src/transfer/salvage.ts',
    kind: 'bound',
    line: 'const NOTES_AT_ONCE = 200;',
    reason: 'Only the number of notes that are read together changes.',
  },
  {
    file: 'packages/server/src/statistics/counting-licenses.ts',
    kind: 'bound',
    line: 'const LICENSES_AT_ONCE = 500;',
    reason: 'Only the number of licenses in a slice changes.',
  },
  {
    file: 'packages/server/src/storage/sqlite-salvage.ts',
    kind: 'bound',
    line: 'const PAGE_ROWS = 256;',
    reason: 'Only the number of rows that are read together changes.',
  },
  {
    file: 'packages/server/src/storage/database-wait.ts',
    kind: 'bound',
    line: 'const PAUSE_MS = 250;',
    reason: 'Only the pace of tries while the database is away changes.',
  },
  {
    file: 'packages/server/src/observed-calls/write-observed.ts',
    kind: 'bound',
    line: 'const PAUSE_MS = 20;',
    reason: 'Only the pace of background writes changes.',
  },
  {
    file: 'packages/server/src/http/connection-room.ts',
    kind: 'bound',
    line: 'const USUAL_FILES = 10_000;',
    reason: 'Only a system that reports no limit of open files shows it.',
  },
  {
    file: 'packages/server/src/engines/delivery-thread.ts',
    kind: 'bound',
    line: 'const YOUNG_GENERATION_MB = 12;',
    reason: 'Only the memory of the thread that sends changes, by a megabyte.',
  },
  {
    file: 'packages/server/src/storage/engine-differences.ts',
    kind: 'lock',
    line: `const LOCKED_ROW = "select 1 as held from migration_lock where name = 'migration' for update";`,
    reason: 'Only an engine without advisory locks, such as CockroachDB, reads it.',
  },
  {
    file: 'packages/server/src/service/heap-growth.ts',
    kind: 'bound',
    line: 'const SMALL_BYTES = 64 * 1024 ** 2;',
    reason: 'A byte of a heap is not seen.',
  },
  {
    file: 'packages/server/src/storage/copy/page-size.ts',
    kind: 'bound',
    line: 'const MOST_GROWTH = 4;',
    reason: 'Only the number of rows that are copied together changes.',
  },
  {
    file: 'packages/server/src/engines/rounds.ts',
    kind: 'bound',
    line: 'const FAILURE_INTERVAL_MS = 1_000;',
    reason: 'Only the pace of tries while the database is away changes.',
  },
  {
    file: 'packages/server/src/deliveries/replays.ts',
    kind: 'comparison',
    line: 'return eventId >= this.#first && eventId < this.#end && (types === null || includesType(types, type));',
    reason: 'No event has the id of the bound, which lacks the random part.',
  },
  {
    file: 'packages/server/src/events/bounded-scans.ts',
    kind: 'comparison',
    line: 'return one > other ? one : other;',
    reason: 'Of two equal texts either one is returned.',
  },
  {
    file: 'packages/server/src/events/rewrite-store.ts',
    kind: 'comparison',
    line: "if (events.length > 0) await tx.run(rewrite, eventTable.rows(events, ['eventId', ...REWRITTEN_FIELDS]));",
    reason: 'Only an update of no rows would be sent to the database.',
  },
  {
    file: 'packages/server/src/base/clock.ts',
    kind: 'bound',
    line: 'const MOMENTS_KEPT = 256;',
    reason: 'Only the number of texts in memory changes, each of which is the one that would be formatted again.',
  },
  {
    file: 'packages/client/src/node/system-text.ts',
    kind: 'bound',
    line: 'const PAUSE_MS = 100;',
    reason: 'Only the pause before a text is read again after a failure changes.',
  },
  {
    file: 'packages/server/src/storage/postgres-session.ts',
    kind: 'comparison',
    line: 'if (missing.length > 0) {',
    reason: 'An empty list sets nothing, so that only a query more is sent on each new connection.',
  },
  {
    file: 'packages/server/src/console/identify.ts',
    kind: 'logic',
    line: "if (asked.access === 'console' || asked.access === 'signIn') return refuse('unauthorized');",
    reason: 'A second guard: readCredential shows these endpoints no other credential.',
  },
  {
    file: 'packages/server/src/session-tokens/token.ts',
    kind: 'comparison',
    line: 'if (end < key.headerPart.length || !token.startsWith(key.headerPart)) return null;',
    reason: 'Only a token without claims is concerned, and without the key nobody can sign one.',
  },
  {
    file: 'packages/server/src/license-files/signing-keys.ts',
    kind: 'comparison',
    line: "const use = key === signer ? 'signs' : signsFrom > now && this.#given === null ? 'will sign' : 'verifies';",
    reason: 'A key that signs from this moment is the signer, so the comparison does not concern it.',
  },
];

/** Why no test can notice a break of a source; undefined where one can. */
export function explanationOf(
  { file, kind, line }: Pick<Break, 'kind' | 'line'> & { readonly file: string },
  source: string,
  explained: readonly ExplainedBreak[] = EXPLAINED_BREAKS,
): string | undefined {
  const text = source.split('\n')[line - 1]?.trim();
  return explained.find((each) => each.file === file && each.kind === kind && each.line === text)?.reason;
}
