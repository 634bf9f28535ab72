/** The shape of the differences between the engines, apart from their drivers. Each engine's room has its own. */

import type { Dialect } from './storage.ts';

/** SQL in which an engine's migrations differ. */
export interface SchemaDialect {
  /** The type of text, compared by its bytes. */
  readonly text: string;
  /** The type of whole numbers, 64 bits wide. */
  readonly integer: string;
  /** SQL after the closing parenthesis of a table. */
  readonly tableEnd: string;
  /** Chooses the engine's own statements; `''` for none. */
  own(statements: Readonly<Record<'sqlite' | 'postgres', string>>): string;
}

/** How one engine differs from the others. */
export interface EngineDifferences {
  /** SQL of statements, including row locks. */
  readonly statements: Dialect;
  /** SQL of table definitions. */
  readonly tables: SchemaDialect;
  /** Settings of every session, as `name=value`. */
  readonly sessionSettings: readonly string[];
  /** Additional settings of sessions that write; they override {@link sessionSettings}. */
  readonly writingSettings: readonly string[];
  /** Begins a transaction that may write. */
  readonly beginTransaction: string;
  /** Finds a table in the schema where new tables are created. Parameter: its name. No row if there is none. */
  readonly findTable: string;
  /** Concurrent batches of one kind. */
  readonly batchesAtOnce: number;
}
