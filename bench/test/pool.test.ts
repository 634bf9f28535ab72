import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../packages/server/test/support/temporary-folder.ts';
import { FRESH_NUMBER_MARK, PoolCursor, type RequestSource, readPool, writePool } from '../src/pool.ts';

describe('a pool of requests', () => {
  const directory = temporaryFolder();

  async function poolOf(source: Omit<RequestSource, 'path'>) {
    return readPool(await writePool(join(directory, 'requests'), { path: '/activate', ...source }));
  }

  function numbered(count: number) {
    return Array.from({ length: count }, (_, number) => ({ body: { number: String(number) }, fields: {} }));
  }

  it('gives the bytes to send and the expected answer', async () => {
    const requests = [
      { body: { licenseKey: 'A' }, fields: { success: true, maxMachines: -1 } },
      { body: { licenseKey: 'Bärbel' }, fields: { licenseExpiresAt: null } },
    ];
    const pool = await poolOf({ usesMax: Number.POSITIVE_INFINITY, requests });
    assert.equal(pool.size, 2);
    for (const [index, { body, fields }] of requests.entries()) {
      const [head = '', sent = ''] = pool.bytes(index, 0).toString().split('\r\n\r\n');
      assert.match(head, /^POST \/activate HTTP\/1\.1\r\n/);
      assert.match(head, new RegExp(`\r\nContent-Length: ${Buffer.byteLength(sent)}(\r\n|$)`));
      assert.deepEqual(JSON.parse(sent), body);
      assert.deepEqual(pool.expectedFields(index), fields);
    }
  });

  it('gives each request the headers of its source', async () => {
    const headers = { 'X-Admin-Secret': 'not a real one' };
    const pool = await poolOf({ usesMax: 1, headers, requests: numbered(2) });
    assert.match(pool.bytes(1, 0).toString(), /^POST [\s\S]*\r\nX-Admin-Secret: not a real one\r\n[\s\S]*\r\n\r\n\{/);
  });

  it('puts a fresh number where one is asked for, and nowhere else', async () => {
    const requests = [
      { body: { machineFingerprint: `machine-${FRESH_NUMBER_MARK}`, hostname: 'h' }, fields: {} },
      { body: { machineFingerprint: 'known' }, fields: {} },
    ];
    const pool = await poolOf({ usesMax: 1, requests });
    assert.match(pool.bytes(0, 7).toString(), /"machine-00000007","hostname":"h"\}$/);
    assert.match(pool.bytes(0, 12_345_678).toString(), /"machine-12345678"/);
    assert.match(pool.bytes(1, 7).toString(), /"known"\}$/);
  });

  it('lets each request be sent as often as it may, in order, and no more', async () => {
    const cursor = new PoolCursor(await poolOf({ usesMax: 2, requests: numbered(3) }), true);
    const taken = Array.from({ length: 8 }, () => cursor.next());
    assert.deepEqual(taken, [0, 1, 2, 0, 1, 2, -1, -1]);
    assert.equal(cursor.isUsedUp, true);
  });

  it('is never used up by a server without limits', async () => {
    const cursor = new PoolCursor(await poolOf({ usesMax: 1, requests: numbered(3) }), false);
    assert.deepEqual(
      Array.from({ length: 5 }, () => cursor.next()),
      [0, 1, 2, 0, 1],
    );
    assert.equal(cursor.isUsedUp, false);
  });

  it('gives every request its turn at random, and two servers the same ones', async () => {
    const pool = await poolOf({ usesMax: Number.POSITIVE_INFINITY, requests: numbered(10) });
    const one = new PoolCursor(pool, true);
    const other = new PoolCursor(pool, true);
    const taken = Array.from({ length: 1000 }, () => one.next());
    const counts = Array.from({ length: 10 }, (_, index) => taken.filter((each) => each === index).length);
    assert.ok(Math.min(...counts) > 50 && Math.max(...counts) < 150, String(counts));
    assert.deepEqual(
      Array.from({ length: 1000 }, () => other.next()),
      taken,
    );
  });

  it('is refused when it is empty', async () => {
    await assert.rejects(poolOf({ usesMax: 1, requests: [] }), /holds no requests/);
  });
});
