/** Migrations of versions to come. */
import type { TestContext } from 'node:test';
import { type Migration, migration } from '../../src/storage/migrations/migration.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';

const NEWEST = migrations.at(-1)!.version;

/** The migration of the `place`-th version to come, which adds a table. */
export const nextMigration = (place: number, olderNodes: Migration['olderNodes'] = 'go on'): Migration =>
  migration(
    NEWEST + place,
    `adds_${place}`,
    ({ text, tableEnd }) => `create table added_${place} (id ${text} not null primary key)${tableEnd};`,
    olderNodes,
  );

/** Makes this process a program of a later version until the test ends: it knows these migrations, too. */
export function knowingMigrations(test: TestContext, ...next: readonly Migration[]): void {
  const known = migrations as Migration[];
  known.push(...next);
  test.after(() => known.splice(-next.length));
}
