/** Chooses the engine by the configuration. */
import type { Config } from '../config/config.ts';
import type { Engine, EngineParts } from './engine.ts';
import { openPostgresEngine } from './postgres-engine.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

/** Opens the engine of a database and migrates its tables. @throws if it cannot be opened */
export function openEngine(database: Config['database'], parts: EngineParts): Promise<Engine> {
  return database.engine === 'sqlite' ? openSqliteEngine(database.file, parts) : openPostgresEngine(database, parts);
}
