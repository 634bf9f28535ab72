/**
 * Every table of the service, and whether copies and exports include it. A test compares the list with the schema, so
 * that a new table needs this decision.
 */

/** Treatment of a table's rows. */
export interface TableDecision {
  /** Whether the command copy carries the table to another database. Tables about the database itself stay. */
  readonly isCopied: boolean;
  /** Whether the command export writes the table, or a part of it; docs/import-export.md gives the reasons if not. */
  readonly isExported: boolean;
}

const EVERYWHERE: TableDecision = { isCopied: true, isExported: true };
const COPIED_ONLY: TableDecision = { isCopied: true, isExported: false };
const OWN: TableDecision = { isCopied: false, isExported: false };

/** By the name of the table. */
export const STORED_TABLES: Readonly<Record<string, TableDecision>> = {
  activation: EVERYWHERE,
  api_key: COPIED_ONLY,
  // Copied, so that a restored backup has its old time: nothing is removed from it before its real time is known.
  believed_round: COPIED_ONLY,
  console_session: COPIED_ONLY,
  database_copy: OWN,
  discount_code: EVERYWHERE,
  // Only notes are exported.
  event: EVERYWHERE,
  forgetting: COPIED_ONLY,
  idempotent_reply: COPIED_ONLY,
  // Apps identify the issuer and the keys of license files by these values: a copy is the same installation.
  installation: COPIED_ONLY,
  // Names the node that runs each job. Migrations create the rows that must exist.
  job_lease: OWN,
  kept_refusal: COPIED_ONLY,
  kept_reply_room: COPIED_ONLY,
  license: EVERYWHERE,
  license_file: COPIED_ONLY,
  license_file_count: COPIED_ONLY,
  license_total: COPIED_ONLY,
  operator_key: COPIED_ONLY,
  product: EVERYWHERE,
  purchase: COPIED_ONLY,
  redemption: EVERYWHERE,
  redemption_attempts: COPIED_ONLY,
  schema_migration: OWN,
  seat: EVERYWHERE,
  session_pool: COPIED_ONLY,
  signing_key: COPIED_ONLY,
  sign_in_code: COPIED_ONLY,
  sign_in_rate: COPIED_ONLY,
  // The next sign-in creates it again.
  sign_in_turn: OWN,
  statistic: COPIED_ONLY,
  storefront_delivery: COPIED_ONLY,
  storefront_event: COPIED_ONLY,
  studio_order: EVERYWHERE,
  support_extension: COPIED_ONLY,
  token_key: COPIED_ONLY,
  trial_rate: COPIED_ONLY,
  variant: EVERYWHERE,
  violation: EVERYWHERE,
};

/** The names of the tables that the command copy carries. */
export const copiedTables: readonly string[] = Object.entries(STORED_TABLES)
  .filter(([, { isCopied }]) => isCopied)
  .map(([name]) => name);
