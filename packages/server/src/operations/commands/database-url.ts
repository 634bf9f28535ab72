/** Databases on the command line: a URL, or the path of a file. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Database } from '../../storage/contract/database.ts';
import { databaseName } from '../../storage/postgres/database-name.ts';
import { PostgresUrlError, splitPostgresUrl } from '../../storage/postgres/postgres-url.ts';

/**
 * Returns the database that a text names: `postgres://user@host/name`, `sqlite:PATH` or a path.
 *
 * @param option the name of the option, for the message
 * @throws when the text names none; the message never contains a URL, which may hold a password
 */
export function databaseAt(option: string, text: string): Database {
  if (/^postgres(ql)?:/i.test(text)) {
    if (!/^postgres(ql)?:\/\//.test(text) || !hostsOf(option, text).every((url) => URL.canParse(url)))
      throw new Error(`--${option} is not a URL of PostgreSQL, such as postgres://user@host:5432/name.`);
    const database: Database = { engine: 'postgres', url: text };
    databaseName(database);
    return database;
  }
  const [, given = text] = /^sqlite:(.*)$/s.exec(text) ?? [];
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given) || given === '')
    throw new Error(`--${option} takes postgres://user@host:5432/name, sqlite:PATH or the path of a SQLite file.`);
  const file = resolve(process.env.INIT_CWD ?? '.', given);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${file} is a directory. The database in a data directory is its file latchkey.db.`);
  return { engine: 'sqlite', file };
}

/** Returns the URL of each host; a single empty URL, which is invalid, if the URL cannot be split into its hosts. */
function hostsOf(option: string, url: string): readonly string[] {
  try {
    return splitPostgresUrl(url);
  } catch (error) {
    if (error instanceof PostgresUrlError) throw new Error(`--${option} ${error.message}.`);
    return [''];
  }
}
