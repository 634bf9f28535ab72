/** Checks the database as a start would, without creating, migrating or writing anything. */
import { existsSync } from 'node:fs';
import { connectorWarnings } from '../../commerce/connectors/faults.ts';
import { DAY_MS, fromTimestamp, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import { clockAdvice } from '../../platform/believed-time/advice.ts';
import { judgeOnce } from '../../platform/believed-time/rounds.ts';
import type { SecretsKey } from '../../platform/sealing/seal.ts';
import type { Database } from '../../storage/contract/database.ts';
import { newerTables } from '../../storage/migrations/migrate.ts';
import type { Migration } from '../../storage/migrations/migration.ts';
import { findSchemaVersion, findYoungestMoment, mayWorkOnTables } from '../../storage/migrations/schema-store.ts';
import { refuseIncompleteCopy } from '../../storage/opening/copy-progress-store.ts';
import { listPendingMigrations, newestSchemaVersion, withStorage } from '../../storage/opening/open.ts';
import { tableCreationFault } from '../../storage/postgres/postgres-rights.ts';
import { damageText, findDamage, type Looked } from '../../storage/sqlite/sqlite-damage.ts';
import { writeFault } from '../../storage/sqlite/sqlite-file.ts';
import { destinationWarnings } from '../../webhooks/destinations/faults.ts';
import { sendingWarning } from '../../webhooks/destinations/sending-node.ts';

/** A harmless difference between the clocks of servers. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

/**
 * Connects to the database, and reads the version of its tables and the moment of its newest record.
 *
 * @param now milliseconds since 1970
 * @param looked called with each table of SQLite before all its pages are read, which takes long for a large table
 * @param describeRehearsal describes the last rehearsal of these migrations; null if there was none
 * @param secretsKey the key of this node that opens the secrets of destinations; null without one
 * @returns facts, and warnings about conditions that a start tolerates but an operator should know; sentences without
 *   secrets
 * @throws if a start would fail, at once or soon: the database cannot be reached, its file is damaged, its tables are
 *   newer than this program or older than 1.0.0, it is an incomplete copy, or this user or role may not write
 */
export async function checkDatabase(
  database: Database,
  now: number,
  looked: (what: Looked) => void = () => {},
  describeRehearsal: (migrations: readonly string[]) => string | null = () => null,
  secretsKey: SecretsKey | null = null,
): Promise<{ readonly facts: readonly string[]; readonly warnings: readonly string[] }> {
  if (database.engine === 'sqlite' && !existsSync(database.file))
    return { facts: ['There is no database yet; the first start creates it.'], warnings: [] };
  if (database.engine === 'sqlite') {
    const locked = writeFault(database.file);
    if (locked !== null) throw new Error(locked);
    const faults = await findDamage(database.file, looked);
    if (faults.length > 0) throw new Error(damageText(database.file, faults));
  }
  const warnings: string[] = [];
  const noticed = (warning: string) => warnings.push(warning);
  return withStorage(database, { noticed }, async (storage) => {
    const version = await storage.read(findSchemaVersion);
    const newest = newestSchemaVersion();
    if (!(await storage.read((sql) => mayWorkOnTables(sql, newest)))) throw new Error(newerTables(version, newest));
    // Before the first start, and before each one that updates the tables.
    const creation = database.engine === 'postgres' && version < newest ? await tableCreationFault(database.url) : null;
    if (creation !== null) throw new Error(creation);
    if (version === 0) return { facts: ['The database is empty; the first start creates its tables.'], warnings };
    await storage.read(refuseIncompleteCopy);
    const pending = await listPendingMigrations(database);
    const facts = [stateOfTables(version, newest), ...willApply(pending, describeRehearsal)];
    const youngest = await storage.read(findYoungestMoment);
    if (youngest !== null) warnings.push(...clockWarnings(fromTimestamp(youngest), now));
    // This process has just started, so it does not know from when a running service will believe the clock by itself.
    const state = { ...(await judgeOnce(storage, () => now)).state(), believedFrom: null };
    const advice = clockAdvice(state);
    if (advice !== null) warnings.push(advice);
    if (pending.length === 0) {
      warnings.push(...(await storage.read((sql) => destinationWarnings(sql, secretsKey))));
      warnings.push(...(await storage.read((sql) => connectorWarnings(sql, secretsKey))));
      const unsent = await storage.read((sql) => sendingWarning(sql, now));
      if (unsent !== null) warnings.push(unsent);
    }
    return { facts, warnings };
  });
}

function stateOfTables(version: number, newest: number): string {
  if (version === newest) return `The tables are up to date (version ${version}).`;
  return version < newest
    ? `The tables have version ${version}; the next start, or the command migrate, updates them to ${newest}.`
    : `The tables have version ${version}; this Latchkey knows version ${newest}, and can serve the newer tables.`;
}

const TO_REHEARSE = 'To learn how long that takes, run latchkey migrate --rehearse-on with a copy of the database.';

/** Returns the changes that a start would make to the tables. */
function willApply(
  pending: readonly Migration[],
  describeRehearsal: (migrations: readonly string[]) => string | null,
): string[] {
  if (pending.length === 0) return [];
  const names = pending.map(({ name }) => name);
  const isAdditive = pending.every(({ olderNodes }) => olderNodes === 'go on');
  return [
    `The next start applies ${names.join(', ')}. ${
      isAdditive ? 'Nodes of the previous version may keep serving.' : 'Stop all nodes of older versions first.'
    } ${describeRehearsal(names) ?? TO_REHEARSE}`,
  ];
}

/** Returns the error of this machine's clock, as far as the database shows it. */
function clockWarnings(youngest: number, now: number): readonly string[] {
  const ahead = youngest - now;
  if (ahead <= CLOCK_TOLERANCE_MS) return [];
  const by =
    ahead < DAY_MS ? counted(Math.round(ahead / MINUTE_MS), 'minute') : counted(Math.round(ahead / DAY_MS), 'day');
  return [
    `the database holds a change of ${toTimestamp(youngest)}, which is ${by} ahead of this machine's clock: ` +
      'one of the clocks is wrong. Licenses expire and sessions lapse by the clock.',
  ];
}
