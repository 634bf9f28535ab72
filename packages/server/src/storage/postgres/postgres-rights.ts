/** The rights of a URL's role, as far as a start depends on them. */
import { connectionOptions, LOCK_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from './postgres-connection.ts';
import { connectToPostgres } from './postgres-hosts.ts';

const ASK = `select quote_ident(current_user) as role, quote_ident(current_schema()) as schema,
  coalesce(pg_catalog.has_schema_privilege(current_schema(), 'CREATE'), false) as "mayCreate"`;

/**
 * The reason why the role cannot create tables, with the statement that allows it; null if it can. Changes nothing.
 *
 * @throws as {@link connectToPostgres} does
 */
export async function tableCreationFault(url: string): Promise<string | null> {
  const client = await connectToPostgres(url, connectionOptions(STATEMENT_TIMEOUT_MS, LOCK_TIMEOUT_MS));
  try {
    const { rows } = await client.query<{ role: string; schema: string | null; mayCreate: number }>(ASK);
    const { role, schema, mayCreate } = rows[0]!;
    if (schema === null)
      return `The role ${role} of DATABASE_URL sees no schema to create tables in. As the owner of the database, run: CREATE SCHEMA AUTHORIZATION ${role};`;
    if (mayCreate === 1) return null;
    return `The role ${role} of DATABASE_URL may not create tables in the schema ${schema}. As the owner of the schema, run: GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};`;
  } finally {
    await client.end();
  }
}
