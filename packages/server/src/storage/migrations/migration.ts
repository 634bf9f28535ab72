/** The shape of a migration. See `migrations.ts` for all of them. */
import type { SchemaDialect } from '../contract/engine-differences.ts';

/** One step of the schema, written once for all engines. */
export interface Migration {
  /** Its number, which orders it; unique. */
  readonly version: number;
  /** Number and title, as the table `schema_migration` keeps them: `0001_licenses`. */
  readonly name: string;
  /**
   * Whether nodes of the previous version, which do not know this migration, may keep serving during and after it, and
   * may restart on its tables. Only additions can allow this: tables, indexes, columns with a default. A migration of a
   * later version removes unused parts.
   */
  readonly olderNodes: OlderNodes;
  /** SQL of any number of statements, in the dialect of an engine. */
  script(dialect: SchemaDialect): string;
}

/** A migration's instruction for older nodes; stored in `schema_migration`, where these nodes read it. */
export type OlderNodes = 'go on' | 'must stop';

/**
 * Creates a migration; `title` is words joined by underscores. By default, older nodes must stop.
 */
export function migration(
  version: number,
  title: string,
  script: (dialect: SchemaDialect) => string,
  olderNodes: OlderNodes = 'must stop',
): Migration {
  return { version, name: `${String(version).padStart(4, '0')}_${title}`, olderNodes, script };
}
