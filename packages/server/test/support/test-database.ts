import type { Database } from '../../src/storage/contract/database.ts';

/** A database for one test, or one group of tests, alone. */
export interface TestDatabase {
  readonly database: Database;
  /** Removes it with its contents, even under an open connection. */
  remove(): Promise<void>;
}
