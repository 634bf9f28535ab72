/** Claims of the command copy: while they are held, nobody changes the source and no server uses the target. */

/** A claimed database. */
export interface Claim {
  /** @throws when the claim was lost: rows read or written since then may be incomplete */
  check(): void;
  release(): Promise<void>;
}

/** A claimed database that is read. */
export interface SourceClaim extends Claim {
  /** Counts the rows of a table, without a timeout. */
  count(table: string): Promise<number>;
}
