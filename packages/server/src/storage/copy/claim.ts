/** What the command copy holds while it works, so that nobody changes the source and no server uses the target. */

/** A database that is held. */
export interface Claim {
  /** @throws when the claim was lost: what was read or written since may not be all */
  check(): void;
  /** Gives the database free again. */
  release(): Promise<void>;
}

/** A database that is held and read. */
export interface SourceClaim extends Claim {
  /** How many rows a table has, however long it takes to count them. */
  count(table: string): Promise<number>;
}
