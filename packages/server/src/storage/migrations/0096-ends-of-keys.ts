import { migration } from './migration.ts';

/**
 * Searches find a license by the end of its key, which lists show. A key never changes, so the index is written when a
 * license is created.
 */
export const endsOfKeys = migration(
  96,
  'ends_of_keys',
  () => `
create index if not exists license_by_key_end on license (substr(license_key, length(license_key) - 4), license_key);
`,
  'go on',
);
