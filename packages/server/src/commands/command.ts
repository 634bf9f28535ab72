/** The shape of an operator's command, and what commands share. */
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { makeDataDirectory } from '../data-directory.ts';
import { migrateDatabase, openStorage } from '../storage/open.ts';
import type { Storage } from '../storage/storage.ts';

/** A command; a file each. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The words it takes after its name, all of them, as usage texts call them: `KEY-ID`. */
  readonly words: readonly string[];
  /** The options it takes, each with what it does; options have no values. */
  readonly options: Readonly<Record<string, string>>;
  /** Does it. @throws an error whose message is for the operator */
  run(task: CommandTask): Promise<void>;
}

/** What a command is given. */
export interface CommandTask {
  readonly config: Config;
  /** As many as {@link Command.words} names. */
  readonly words: readonly string[];
  /** The options that were given. */
  readonly options: ReadonlySet<string>;
  /** Writes a line to the standard output. */
  readonly print: (line: string) => void;
}

/** Makes the tables that are not there yet, so that a command may come before the first start; answers the migrations. */
export function bringUpToDate({ database, dataDirectory }: Config): Promise<readonly string[]> {
  if (database.engine === 'sqlite') makeDataDirectory(dataDirectory);
  return migrateDatabase(database, systemClock());
}

/** Does something in the database, brought up to date, and closes it again. */
export async function inDatabase(config: Config, work: (storage: Storage) => Promise<void>): Promise<void> {
  await bringUpToDate(config);
  const storage = await openStorage(config.database);
  try {
    await work(storage);
  } finally {
    await storage.close();
  }
}
