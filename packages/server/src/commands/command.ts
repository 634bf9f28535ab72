/** The shape of an operator's command, and what commands share. */
import { existsSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import type { Config, Variable } from '../config.ts';
import type { Origin } from '../events/event.ts';
import { refuseIncompleteCopy } from '../storage/copy/progress-store.ts';
import { NEWEST_SCHEMA_VERSION, openStorage } from '../storage/open.ts';
import { findSchemaVersion, mayWorkOnTables } from '../storage/schema-store.ts';
import type { Storage } from '../storage/storage.ts';

/** A command; a file each. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The positional arguments it takes after its name, all of them, as usage texts call them: `KEY-ID`. */
  readonly positionals: readonly string[];
  /** The options it takes, by name. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** What somebody would write after the program's name: `backup /backups/latchkey.db`. */
  readonly example: string;
  /** False where the command does not work on the database of the configuration; that is not named then. */
  readonly isOnDatabase?: false;
  /** What its `--help` says further, in lines. */
  readonly more?: readonly string[];
  /** Does it. @throws an error whose message is for the operator */
  run(task: CommandTask): Promise<void>;
}

/** An option of a command. */
export interface CommandOption {
  /** What it does, in a few words. */
  readonly meaning: string;
  /** What usage texts call its value, such as `URL`; an option without it is said or not said. */
  readonly value?: string;
  /** Whether the command cannot do without it. */
  readonly isRequired?: true;
  /** The variable of the configuration that its value takes the place of. */
  readonly sets?: Variable;
}

/** What a command is given. */
export interface CommandTask {
  readonly config: Config;
  /** As many as {@link Command.positionals} names. */
  readonly positionals: readonly string[];
  /** The options that were given, with their values; the empty text for those that have none. */
  readonly options: ReadonlyMap<string, string>;
  /** Writes a line of the result to the standard output. */
  readonly print: (line: string) => void;
  /** Writes a line beside the result, to the standard error. */
  readonly warn: (line: string) => void;
}

/**
 * Sees that a database is one that a command may work on: a SQLite file is not made by commands, because the place where
 * there is none is most likely not the one that was meant.
 *
 * @throws when the file of SQLite is not there
 */
export function requireDatabase({ database }: Config): void {
  if (database.engine === 'sqlite' && !existsSync(database.file))
    throw new Error(
      `There is no database at ${database.file}. Commands make none; npm start does. LATCHKEY_DATA_DIR or DATABASE_URL ` +
        'says where the database is.',
    );
}

/** Where the changes of a command come from, by its name. */
export function originOf(command: string): Origin {
  return { actor: { kind: 'command', name: command }, requestId: null, now: systemClock() };
}

/**
 * Does something in a database whose tables are those that this Latchkey knows, and closes it again.
 *
 * @throws when there is no such database, its tables are older or newer, or it is a copy that is not complete
 */
export async function inDatabase(config: Config, work: (storage: Storage) => Promise<void>): Promise<void> {
  requireDatabase(config);
  const storage = await openStorage(config.database);
  try {
    const version = await storage.read(findSchemaVersion);
    const newest = NEWEST_SCHEMA_VERSION;
    if (version === 0) throw new Error('This database has no tables of Latchkey. The command migrate makes them.');
    if (version < newest)
      throw new Error(
        `The tables are at version ${version}, this Latchkey needs ${newest}. The command migrate brings them up to date.`,
      );
    if (!(await storage.read((sql) => mayWorkOnTables(sql, newest))))
      throw new Error(`The tables are at version ${version}, this Latchkey knows ${newest}. Use the newer Latchkey.`);
    await storage.read(refuseIncompleteCopy);
    await work(storage);
  } finally {
    await storage.close();
  }
}
