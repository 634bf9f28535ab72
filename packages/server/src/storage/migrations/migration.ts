/** The shape of a migration. See `migrations.ts` for all of them. */
import type { SchemaDialect } from '../schema-dialect.ts';

/** One step of the schema, written once for all engines. */
export interface Migration {
  /** Its number, which orders it; unique. */
  readonly version: number;
  /** Number and title, as the table `schema_migration` keeps them: `0001_licenses`. */
  readonly name: string;
  /**
   * Whether nodes of the version before, which do not know this migration, may go on serving while it is applied and
   * afterwards, and may be started again on its tables. Only what adds can allow it: tables, indexes, columns with a
   * default. What is not used any more is removed by a migration of a later version.
   */
  readonly olderNodes: OlderNodes;
  /** SQL of any number of statements, in the dialect of an engine. */
  script(dialect: SchemaDialect): string;
}

/** What nodes of an older version are to do about a migration; kept in `schema_migration`, where such nodes read it. */
export type OlderNodes = 'go on' | 'must stop';

/**
 * Makes a migration; `title` is in words with underscores between them. Older nodes must stop unless it says that they may
 * go on.
 */
export function migration(
  version: number,
  title: string,
  script: (dialect: SchemaDialect) => string,
  olderNodes: OlderNodes = 'must stop',
): Migration {
  return { version, name: `${String(version).padStart(4, '0')}_${title}`, olderNodes, script };
}
