import { migration } from './migration.ts';

/**
 * Filters of the boards of violations, which list the most severe first: all violations, or those equal in these
 * columns.
 */
const VIOLATION_BOARDS = {
  all: [],
  type: ['type'],
  product: ['product_id'],
  // On an expression, so that only a list of one product and one type uses this index, and a list of a product does
  // not.
  product_type: ["(product_id || '')", 'type'],
} as const;

/** Open violations are few and read often, so open and resolved violations have separate indexes. */
const violationIndexes = Object.entries(VIOLATION_BOARDS).flatMap(([name, columns]) =>
  (['open', 'resolved'] as const).map((state) => {
    const order = [...columns, 'severity', 'first_seen', 'license_key', 'violation_id'].join(', ');
    return `create index violation_${state}_by_${name} on violation (${order})
  where resolved_at is ${state === 'open' ? 'null' : 'not null'};`;
  }),
);

/**
 * Boards and searches. The new indexes hold rare rows (sessions, threats, violations) or replace an index that is
 * dropped. No row of a large table is rewritten. An index on licenses that an operator created beforehand, because
 * large tables take a while, is left as it is.
 *
 * Machines are found by hostname and by fingerprint. Their entries are scattered over both indexes: adding them with
 * every activation made /activate write two and a half times as much. So tidying (licensing/licenses/jobs.ts) adds many
 * machines together a little later; until then a machine is only in an index that grows at its end.
 */
export const boardsAndSearches = migration(
  22,
  'boards_and_searches',
  ({ text, tableEnd, own }) => `
-- whose product a violation is of, for boards; a license keeps its product for ever
alter table violation add column product_id ${text};
update violation set product_id =
  (select l.product_id from license l where l.license_key = violation.license_key);
${violationIndexes.join('\n')}

-- licenses whose sessions_held is not 0, so that a board of live sessions looks at no others
create table session_pool (
  license_key ${text} not null primary key,
  product_id ${text} not null
)${tableEnd}${own({ sqlite: ', without rowid', postgres: '' })};
create index session_pool_by_product on session_pool (product_id, license_key);
insert into session_pool (license_key, product_id)
  select l.license_key, l.product_id from license l where l.sessions_held > 0 and l.license_key in
    (select a.license_key from activation a where a.session_due is not null);

-- since when the indexes of searches are to take the machine in; null when they have
alter table activation add column unindexed_since ${text};
create index activation_unindexed on activation (unindexed_since) where unindexed_since is not null;
create index activation_by_hostname on activation (lower(hostname), license_key, fingerprint)
  where unindexed_since is null;
create index activation_by_fingerprint on activation (fingerprint, license_key) where unindexed_since is null;

-- the same licenses in two wordings, so that a list of one product cannot take the index of all
create index if not exists license_by_threat on license (threat_level, created_at, license_key) where threat_level >= 1;
create index if not exists license_by_product_threat on license (product_id, threat_level, created_at, license_key)
  where threat_level > 0;

-- by expiry as before, and by key among those that expire at one moment
create index if not exists license_by_expiry on license (status_mark, expires_at, license_key)
  where expires_at is not null;
create index if not exists license_by_product_expiry on license (product_id, expires_at, license_key)
  where status_mark = 'active' and expires_at is not null;
drop index license_by_lapse;
drop index license_by_product_lapse;

create index redemption_by_time on redemption (code_folded, redeemed_at, email_folded);

create index studio_order_by_email on studio_order (lower(buyer_email), created_at, studio_order_id);
create index studio_order_by_creator_email
  on studio_order (lower(buyer_email), creator_id, created_at, studio_order_id);
create index studio_order_by_creator_course on studio_order (course_id, creator_id, created_at, studio_order_id);

create index product_by_name on product (lower(name), product_id);
create index product_by_creator_slug on product (creator_id, product_id);
create index product_by_creator_name on product (creator_id, lower(name), product_id);
`,
);
