/** The differences between the engines' table definitions, side by side. */

/** SQL in which an engine's migrations differ. */
export interface SchemaDialect {
  /** The type of text, compared by its bytes. */
  readonly text: string;
  /** The type of whole numbers, 64 bits wide. */
  readonly integer: string;
  /** SQL after the closing parenthesis of a table. */
  readonly tableEnd: string;
  /** Chooses the engine's own statements; `''` for none. `spread` is for engines that spread rows over servers. */
  own(statements: Readonly<Record<'sqlite' | 'postgres', string>> & { readonly spread?: string }): string;
}

/** Strict tables refuse a value of another type than the column's. SQLite compares text by its bytes. */
export const sqliteSchemaDialect: SchemaDialect = {
  text: 'text',
  integer: 'integer',
  tableEnd: ' strict',
  own: ({ sqlite }) => sqlite,
};

/** Without `collate "C"`, PostgreSQL compares text as the database's language sorts it. */
export const postgresSchemaDialect: SchemaDialect = {
  text: 'text collate "C"',
  integer: 'bigint',
  tableEnd: '',
  own: ({ postgres }) => postgres,
};

/** Pages have no room to leave free, and a primary key does not change. */
export const yugabyteSchemaDialect: SchemaDialect = {
  ...postgresSchemaDialect,
  own: ({ postgres, spread = postgres }) => spread,
};

/** Text is compared by its bytes unless a collation is named. */
export const cockroachSchemaDialect: SchemaDialect = { ...yugabyteSchemaDialect, text: 'text' };
