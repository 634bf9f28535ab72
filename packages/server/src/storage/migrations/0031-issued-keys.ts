import { migration } from './migration.ts';

/** A key from elsewhere in the form in which it was issued; null where that is the form by which it is found. */
export const issuedKeys = migration(
  31,
  'issued_keys',
  ({ text }) => `alter table license add column issued_key ${text};`,
);
