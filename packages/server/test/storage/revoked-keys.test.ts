/** Keys that an older version revoked without storing the time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../src/ground/base/clock.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { engines } from '../support/databases.ts';
import { emptyFor, served } from '../support/for-test.ts';
import { execute } from '../support/own-connection.ts';

/** Before the time of the revocation was stored with the key. */
const OLD_VERSION = 50;

const CREATED = '2026-01-01T00:00:00.000Z';
const hash = (letter: string) => letter.repeat(64);

const apiKey = (letter: string, active: number) =>
  `insert into api_key (hash, name, creator_id, active, created_at)
   values ('${hash(letter)}', '${letter}', 'ada', ${active}, '${CREATED}');`;

const STORED = [
  apiKey('a', 0),
  apiKey('b', 1),
  `insert into operator_key (hash, name, role, active, created_at)
   values ('${hash('e')}', 'Eve', 'viewer', 0, '${CREATED}'), ('${hash('f')}', 'Fay', 'viewer', 1, '${CREATED}');`,
].join('\n');

for (const engine of engines)
  describe(`keys revoked by an older version on ${engine}`, () => {
    it('are revoked without a time, and get one if they are revoked from now on', async (test) => {
      const database = await emptyFor(test, engine);
      const older = migrations.filter(({ version }) => version <= OLD_VERSION);
      await migrateDatabase(database, systemClock(), older);
      await execute(database, STORED);
      await served(database, async (app) => {
        await app.admin('/revokeApiKey', { creatorId: 'ada' });
        await app.admin('/revokeOperatorKey', { keyHash: hash('f') });
        const statesOf = async (path: string) => {
          const { body } = await app.admin(path);
          const keys: { name: string; active: boolean; revokedAt: string | null }[] = body.keys;
          return Object.fromEntries(keys.map(({ name, active, revokedAt }) => [name, [active, revokedAt]]));
        };
        const now = app.clock.at();
        assert.deepEqual(await statesOf('/listApiKeys'), { a: [false, null], b: [false, now] });
        assert.deepEqual(await statesOf('/listOperatorKeys'), { Eve: [false, null], Fay: [false, now] });
      });
    });
  });
