/** The shape of a migration. See `migrations.ts` for all of them. */
import type { SchemaDialect } from '../schema-dialect.ts';

/** One step of the schema, written once for all engines. */
export interface Migration {
  /** Its number, which orders it; unique. */
  readonly version: number;
  /** Number and title, as the table `schema_migration` keeps them: `0001_licenses`. */
  readonly name: string;
  /** SQL of any number of statements, in the dialect of an engine. */
  script(dialect: SchemaDialect): string;
}

/** Makes a migration; `title` is in words with underscores between them. */
export function migration(version: number, title: string, script: (dialect: SchemaDialect) => string): Migration {
  return { version, name: `${String(version).padStart(4, '0')}_${title}`, script };
}
