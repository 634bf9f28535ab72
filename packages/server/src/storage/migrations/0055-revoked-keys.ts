import { migration } from './migration.ts';

/** Time of a key's revocation; null for keys revoked earlier, or by nodes of an older version. */
export const revokedKeys = migration(
  55,
  'revoked_keys',
  ({ text }) => `
alter table api_key add column revoked_at ${text};
alter table operator_key add column revoked_at ${text};
`,
  'go on',
);
