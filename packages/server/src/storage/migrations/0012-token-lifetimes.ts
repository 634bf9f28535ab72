import { migration } from './migration.ts';

/**
 * The longest lifetime that any node has given to tokens of this key; null where that was not kept yet. A key must check
 * tokens for so long after its successor has taken over, whatever the lifetime is by then.
 */
export const tokenLifetimes = migration(
  12,
  'token_lifetimes',
  ({ integer }) => `
alter table token_key add column longest_lifetime_ms ${integer};
`,
);
