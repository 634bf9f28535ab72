/** Databases as commands are told of them: by a URL, or by the path of a file. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { databaseName } from '../storage/database-name.ts';
import type { Database } from '../storage/open.ts';
import { splitPostgresUrl } from '../storage/postgres-url.ts';

/**
 * The database that a text names: `postgres://user@host/name`, `sqlite:PATH` or a path.
 *
 * @param option the option that it was given to, for the message
 * @throws when it names none; the message never shows a URL, which may hold a password
 */
export function databaseAt(option: string, text: string): Database {
  if (/^postgres(ql)?:/i.test(text)) {
    if (!/^postgres(ql)?:\/\//.test(text) || !hostsOf(text).every((url) => URL.canParse(url)))
      throw new Error(`--${option} is no URL of PostgreSQL, such as postgres://user@host:5432/name.`);
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

/** The URL of each host; none of which anything can be made where there is something wrong with several hosts. */
function hostsOf(url: string): readonly string[] {
  try {
    return splitPostgresUrl(url);
  } catch {
    return [''];
  }
}
