import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AnswerFramer } from '../src/answer.ts';
import { Catalogue } from '../src/catalogue.ts';
import { Connection } from '../src/connection.ts';
import { ENDPOINTS } from '../src/endpoints.ts';
import { type LatchkeyServer, startLatchkey } from '../src/latchkey.ts';
import { PoolCursor, readPool, writePool } from '../src/pool.ts';
import { type Seeded, seed } from '../src/seed.ts';
import { runWindow } from '../src/window.ts';

const LICENSES = 200;

describe('the licenses of the bench', () => {
  const catalogue = new Catalogue(LICENSES, Date.parse('2026-01-31T09:30:00.000Z'), 1000);
  const licenses = Array.from({ length: LICENSES }, (_, number) => catalogue.license(number));

  it('have keys like real ones, all different, that rise', () => {
    const keys = licenses.map(({ licenseKey }) => licenseKey);
    for (const key of keys) assert.match(key, /^([A-HJKMNP-Z2-9]{5}-){4}[A-HJKMNP-Z2-9]{5}$/);
    assert.equal(new Set(keys).size, LICENSES);
    assert.deepEqual(keys, [...keys].sort());
  });

  it('have as many machines as they count, none twice', () => {
    const machines = licenses.flatMap((license, number) => catalogue.machines(number, license));
    assert.equal(
      machines.length,
      licenses.reduce((sum, { machinesUsed }) => sum + machinesUsed, 0),
    );
    assert.equal(new Set(machines.map(({ fingerprint }) => fingerprint)).size, machines.length);
    assert.equal(new Set(machines.map(({ activationId }) => activationId)).size, machines.length);
  });
});

describe('Latchkey on a seeded database', () => {
  let dataDirectory: string;
  let seeded: Seeded;
  let latchkey: LatchkeyServer;
  before(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), 'latchkey-bench-test-'));
    const database = { engine: 'sqlite', file: join(dataDirectory, 'latchkey.db') } as const;
    seeded = await seed(database, LICENSES, () => {});
    latchkey = await startLatchkey({ database, dataDirectory, certificate: null, floatingTimeout: '1d' });
  });
  after(async () => {
    await latchkey?.stop();
    await rm(dataDirectory, { recursive: true });
  });

  for (const endpoint of ENDPOINTS) {
    it(`answers every prepared request to /${endpoint} as expected`, async () => {
      const written = await writePool(join(dataDirectory, endpoint), endpoint, seeded(endpoint));
      const pool = await readPool({ ...written, usesMax: 1 });
      const framer = new AnswerFramer();
      const { address } = latchkey;
      const figures = await runWindow(
        { address, fixedAnswer: null, connections: 8, rampSeconds: 0, seconds: 60 },
        new PoolCursor(pool, true),
        (listener) => Connection.open(address, framer, listener),
        () => {},
      );
      assert.deepEqual(figures.faults, { count: 0, told: [] });
      assert.equal(figures.isUsedUp, true);
    });
  }
});
