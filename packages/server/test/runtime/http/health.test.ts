/** The health addresses, which have no rate limit for anybody. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HealthParts, watchHealth } from '../../../src/runtime/http/health.ts';
import type { Availability } from '../../../src/storage/contract/storage.ts';
import { startApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';

/** A health whose probes reply on command. */
function scene(given: Partial<HealthParts> = {}) {
  const changes: Availability['state'][] = [];
  const writes: PromiseWithResolvers<void>[] = [];
  const reads: PromiseWithResolvers<void>[] = [];
  const begin = (probes: PromiseWithResolvers<void>[]) => {
    const probe = Promise.withResolvers<void>();
    probes.push(probe);
    return probe.promise;
  };
  const health = watchHealth({
    probeReads: () => begin(reads),
    probeWrites: () => begin(writes),
    isStopping: () => false,
    writeProbeIntervalMs: 5,
    timeoutMs: 10_000,
    readProbeKeptMs: 10_000,
    relapseMs: 0,
    calmMs: 10_000,
    onChange: ({ state }) => changes.push(state),
    ...given,
  });
  // The timers of a service's health do not keep its process alive, but those of its sockets do.
  const alive = setInterval(() => {}, 5);
  const readyz = async () => {
    const answered = (await health.documents.get('/readyz')!()) as { status: number; body: string };
    return [answered.status, JSON.parse(answered.body).writes];
  };
  return {
    health,
    changes,
    writes,
    reads,
    readyz,
    async end() {
      clearInterval(alive);
      for (const probe of [...writes, ...reads]) probe.resolve();
      await health.stop();
    },
  };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a database that takes one write and refuses the next', () => {
  const away = { state: 'unwritable', reason: 'disk is full' } as const;
  const back = { state: 'available' } as const;

  it('is reported as one outage, while /readyz says how it is at each moment', async () => {
    const { health, changes, reads, readyz, end } = scene({ relapseMs: 60_000, writeProbeIntervalMs: 60_000 });
    for (let turn = 0; turn < 9; turn++) {
      health.note(away);
      health.note(back);
    }
    assert.deepEqual(changes, ['unwritable', 'available', 'unwritable']);
    const asked = readyz();
    await turn();
    reads[0]?.resolve();
    assert.deepEqual(await asked, [200, true]);
    await end();
  });

  it('is called back when it has served for a while', async () => {
    const { health, changes, end } = scene({ relapseMs: 60_000, calmMs: 1, writeProbeIntervalMs: 60_000 });
    for (const each of [away, back, away, back]) health.note(each);
    while (changes.length < 4) await turn();
    assert.deepEqual(changes, ['unwritable', 'available', 'unwritable', 'available']);
    await end();
  });
});

describe('/readyz', () => {
  it('asks the database once for all who ask within a second or while it reads', async () => {
    const { readyz, reads, end } = scene();
    const asked = Array.from({ length: 50 }, readyz);
    await turn();
    reads[0]?.resolve();
    assert.deepEqual(new Set((await Promise.all(asked)).map(String)), new Set(['200,true']));
    assert.deepEqual(await readyz(), [200, true]);
    assert.equal(reads.length, 1);
    await end();
  });

  it('asks again when its knowledge is old', async () => {
    const { readyz, reads, end } = scene({ readProbeKeptMs: 1 });
    const first = readyz();
    reads[0]?.resolve();
    assert.deepEqual(await first, [200, true]);
    while (reads.length < 2) {
      void readyz();
      await turn();
    }
    await end();
  });

  it('says 503 when a read fails or is late, and has one read under way at most', async () => {
    const { readyz, reads, end } = scene({ timeoutMs: 10, readProbeKeptMs: 1 });
    assert.deepEqual(await readyz(), [503, undefined], 'late');
    for (let asked = 0; asked < 10; asked++) assert.deepEqual(await readyz(), [503, undefined]);
    assert.equal(reads.length, 1);
    reads[0]?.reject(new Error('away'));
    while (reads.length < 2) {
      void readyz();
      await turn();
    }
    const second = readyz();
    reads[1]?.reject(new Error('away'));
    assert.deepEqual(await second, [503, undefined]);
    await end();
  });

  it('says 200 and writes: false while a write fails or is late, one at a time, and it is said once', async () => {
    const { readyz, reads, writes, changes, end } = scene({ timeoutMs: 20 });
    void readyz();
    reads[0]?.resolve();
    while (writes.length === 0) await turn();
    assert.deepEqual(await readyz(), [200, true]);
    while (String(await readyz()) !== '200,false') await turn();
    assert.equal(writes.length, 1, 'another was tried beside it');
    writes[0]?.reject(new Error('full'));
    while (writes.length < 2) await turn();
    assert.deepEqual(await readyz(), [200, false]);
    assert.deepEqual(changes, ['unwritable']);
    writes[1]?.resolve();
    while (String(await readyz()) !== '200,true') await turn();
    assert.deepEqual(changes, ['unwritable', 'available']);
    await end();
  });

  it('follows what calls show of the database: unwritable is 200, gone is 503', async () => {
    const { health, readyz, reads, changes, end } = scene({ writeProbeIntervalMs: 100_000 });
    void readyz();
    reads[0]?.resolve();
    health.note({ state: 'unwritable', reason: 'locked' });
    assert.deepEqual(await readyz(), [200, false]);
    health.note({ state: 'available' });
    assert.deepEqual(await readyz(), [200, true]);
    health.note({ state: 'gone', reason: 'deleted' });
    assert.deepEqual(await readyz(), [503, undefined]);
    assert.deepEqual(changes, ['unwritable', 'available', 'gone']);
    await end();
  });
});

for (const engine of engines)
  describe(`/readyz on ${engine}`, () => {
    it('says writes: true while the writes that it tries succeed', async (test) => {
      const app = await startApp(engine, {}, undefined, { writeProbeIntervalMs: 1 });
      test.after(() => app.stop());
      for (let asked = 0; asked < 30; asked++) {
        const { status, body } = await app.send('/readyz', undefined, { method: 'GET' });
        assert.deepEqual([status, body], [200, { success: true, status: 'ready', writes: true }]);
      }
    });
  });
