/** Where the engines' table definitions differ, side by side. */

/** How an engine spells what migrations say. */
export interface SchemaDialect {
  /** The type of text, compared by its bytes. */
  readonly text: string;
  /** The type of whole numbers, 64 bits wide. */
  readonly integer: string;
  /** What follows the closing parenthesis of a table. */
  readonly tableEnd: string;
  /** Chooses what only one engine says; `''` where it has nothing to say. */
  own(statements: Readonly<Record<'sqlite' | 'postgres', string>>): string;
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
