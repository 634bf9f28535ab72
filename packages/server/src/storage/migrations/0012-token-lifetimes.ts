import { migration } from './migration.ts';

/**
 * The longest lifetime that any node has given to tokens of this key; null if not recorded yet. A key must verify
 * tokens for this long after its successor has taken over, even if the configured lifetime has changed.
 */
export const tokenLifetimes = migration(
  12,
  'token_lifetimes',
  ({ integer }) => `
alter table token_key add column longest_lifetime_ms ${integer};
`,
);
