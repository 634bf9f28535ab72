/**
 * Breaks that nobody can see, or not on a machine for tests. `npm run mutants` shows the reason instead of trying them.
 */
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
