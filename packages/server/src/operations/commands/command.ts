/** The interface of an operator's command, and functions that commands share. */
import { existsSync } from 'node:fs';
import { systemClock } from '../../ground/base/clock.ts';
import { judgeOnce } from '../../platform/believed-time/rounds.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Config } from '../../runtime/config/config.ts';
import { ConfigValueError, type Form } from '../../runtime/config/forms.ts';
import type { Variable } from '../../runtime/config/variables.ts';
import type { Database } from '../../storage/contract/database.ts';
import type { Storage } from '../../storage/contract/storage.ts';
import { newerTables } from '../../storage/migrations/migrate.ts';
import { findSchemaVersion, mayWorkOnTables } from '../../storage/migrations/schema-store.ts';
import { refuseIncompleteCopy } from '../../storage/opening/copy-progress-store.ts';
import { newestSchemaVersion, withStorage } from '../../storage/opening/open.ts';

/** An operator's command; each has its own file. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The positional arguments after the command's name, all required, as in usage texts: `KEY-ID`; none by default. */
  readonly positionals?: readonly string[];
  /** Its options, by name; none by default. */
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** An example of the text after the program's name: `backup /backups/latchkey.db`. */
  readonly example: string;
  /** False if the command does not use the configured database; messages do not name the database then. */
  readonly isOnDatabase?: false;
  /** Further lines of its `--help`. */
  readonly more?: readonly string[];
  /** Runs the command. @throws an error whose message is for the operator */
  run(task: CommandTask): Promise<void>;
}

/** An option of a command. */
export interface CommandOption {
  /** Its purpose in a few words. */
  readonly meaning: string;
  /** The name of its value in usage texts, such as `URL`; an option without it takes no value. */
  readonly value?: string;
  /** Whether the command requires the option. */
  readonly isRequired?: true;
  /** The configuration variable that its value overrides. */
  readonly sets?: Variable;
}

/** The input and output of a command. */
export interface CommandTask {
  readonly config: Config;
  /** One for each of {@link Command.positionals}. */
  readonly positionals: readonly string[];
  /** The given options with their values; an empty text for those without a value. */
  readonly options: ReadonlyMap<string, string>;
  /** Writes a line of the result to the standard output. */
  readonly print: (line: string) => void;
  /** Writes a line beside the result, to the standard error. */
  readonly warn: (line: string) => void;
}

/** Reads the value of an option by the form of a configuration value. @throws an error that names the option */
export function optionValue<Value>(option: string, form: Form<Value>, text: string): Value {
  try {
    return form(text);
  } catch (error) {
    throw error instanceof ConfigValueError ? new Error(`--${option} ${error.message}`) : error;
  }
}

/**
 * Checks that the database exists. Commands never create a SQLite file, because a path without one is most likely a
 * mistake.
 *
 * @throws when the SQLite file does not exist
 */
export function requireDatabase({ database }: { readonly database: Database }): void {
  if (database.engine === 'sqlite' && !existsSync(database.file))
    throw new Error(
      `There is no database at ${database.file}. Commands do not create one; npm start does. LATCHKEY_DATA_DIR or ` +
        'DATABASE_URL sets its location.',
    );
}

/**
 * The origin of a command's changes, by its name; dated by the believed time, as those of calls are (believed-time/).
 */
export async function originOf(command: string, storage: Storage): Promise<Origin> {
  const now = (await judgeOnce(storage)).sessionNow(systemClock());
  return { actor: { kind: 'command', name: command }, requestId: null, now };
}

/**
 * Runs `work` in a database whose tables have the version of this Latchkey, and closes it afterwards.
 *
 * @throws when the database does not exist, its tables are older or newer, or it is an incomplete copy
 */
export async function inDatabase(config: Config, work: (storage: Storage) => Promise<void>): Promise<void> {
  requireDatabase(config);
  await withStorage(config.database, {}, async (storage) => {
    const version = await storage.read(findSchemaVersion);
    const newest = newestSchemaVersion();
    if (version === 0) throw new Error('This database has no tables of Latchkey. The command migrate creates them.');
    if (version < newest)
      throw new Error(
        `The tables have version ${version}, but this Latchkey needs ${newest}. The command migrate updates them.`,
      );
    if (!(await storage.read((sql) => mayWorkOnTables(sql, newest)))) throw new Error(newerTables(version, newest));
    await storage.read(refuseIncompleteCopy);
    await work(storage);
  });
}
