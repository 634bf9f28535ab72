import { migration } from './migration.ts';

/**
 * The recorded notices about licenses that expire, and how far the search for further ones has come
 * ([decision 49](../../../../../docs/contributors/decisions/0049-notices-of-expiring-licenses.md)). Nodes of the
 * previous version record no notices.
 */
export const expiryNotices = migration(
  93,
  'expiry_notices',
  ({ text, tableEnd }) => `
create table expiry_notice (
  license_key ${text} not null,
  -- 'expired', or the days before the expiry: '7d'
  kind ${text} not null,
  -- the expiry of the license that the notice is about
  expires_at ${text} not null,
  recorded_at ${text} not null,
  primary key (license_key, kind, expires_at)
)${tableEnd};
create index expiry_notice_by_expiry on expiry_notice (expires_at);

-- every license up to this expiry and key has been examined for notices of the kind
create table expiry_notice_position (
  kind ${text} not null primary key,
  expires_at ${text} not null,
  license_key ${text} not null
)${tableEnd};
`,
  'go on',
);
