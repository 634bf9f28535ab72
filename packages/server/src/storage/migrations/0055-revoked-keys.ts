import { migration } from './migration.ts';

/** Since when a key is revoked; null for keys that were revoked before, and by nodes of an older version. */
export const revokedKeys = migration(
  55,
  'revoked_keys',
  ({ text }) => `
alter table api_key add column revoked_at ${text};
alter table operator_key add column revoked_at ${text};
`,
  'go on',
);
