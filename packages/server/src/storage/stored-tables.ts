/**
 * Every table of the service, and what becomes of it where data leaves the database. The list is complete: a test compares
 * it with the schema, so that whoever makes a table decides this.
 */

/** What becomes of a table's rows. */
export interface TableDecision {
  /** Whether the command copy carries it to another database; not what is about the database itself. */
  readonly isCopied: boolean;
  /** Whether the command export writes what it holds, or a part of it; docs/import-export.md says why not where it does not. */
  readonly isExported: boolean;
}

const EVERYWHERE: TableDecision = { isCopied: true, isExported: true };
const COPIED_ONLY: TableDecision = { isCopied: true, isExported: false };
const OWN: TableDecision = { isCopied: false, isExported: false };

/** By the name of the table. */
export const STORED_TABLES: Readonly<Record<string, TableDecision>> = {
  activation: EVERYWHERE,
  api_key: COPIED_ONLY,
  // Old in an old backup, so that nothing is removed from what was restored before its time is known.
  believed_round: COPIED_ONLY,
  console_session: COPIED_ONLY,
  database_copy: OWN,
  discount_code: EVERYWHERE,
  // Of its rows those that are notes are exported.
  event: EVERYWHERE,
  forgetting: COPIED_ONLY,
  idempotent_reply: COPIED_ONLY,
  // Apps know the issuer and the keys of license files by these: a copy goes on as the same installation.
  installation: COPIED_ONLY,
  // Says which node is at a job; a migration makes what must be there.
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
  // Is made again by the next sign-in.
  sign_in_turn: OWN,
  statistic: COPIED_ONLY,
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
