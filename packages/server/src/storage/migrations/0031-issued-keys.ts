import { migration } from './migration.ts';

/** An imported key in the form in which it was issued; null if that equals the form used for look-ups. */
export const issuedKeys = migration(
  31,
  'issued_keys',
  ({ text }) => `alter table license add column issued_key ${text};`,
);
