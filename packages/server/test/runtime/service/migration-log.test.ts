/** A start on tables of an older version logs each migration. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { logMigrations } from '../../../src/runtime/service/migration-log.ts';
import { migrateDatabase } from '../../../src/storage/opening/open.ts';
import { engines } from '../../support/databases.ts';
import { freshFor } from '../../support/for-test.ts';
import { knowingMigrations, nextMigration } from '../../support/next-migrations.ts';

for (const engine of engines)
  describe(`a start on tables of an older version on ${engine}`, () => {
    it('logs each migration that it applies, and how long it took', async (test) => {
      const database = await freshFor(test, engine);
      const next = [nextMigration(1), nextMigration(2)];
      knowingMigrations(test, ...next);
      const lines: Record<string, unknown>[] = [];
      const logger = {
        info: (line: Record<string, unknown>) => void lines.push(line),
        debug: () => assert.fail('the migrations of an older database are not for debugging'),
      };
      await migrateDatabase(database, systemClock(), undefined, logMigrations(logger));
      assert.deepEqual(
        lines.map(({ event, name }) => `${event} ${name}`),
        next.flatMap(({ name }) => [`migration.started ${name}`, `migration.done ${name}`]),
      );
      assert.partialDeepStrictEqual(lines[2], { number: 2, count: 2 });
      assert.ok(Number.isInteger(lines[1]?.durationMs));
    });
  });
