import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issueSeats } from '../../../src/commerce/studio-orders/issue-seats.ts';
import { listSeats } from '../../../src/commerce/studio-orders/store.ts';
import { canonicalSeatCode, mintSeatCode } from '../../../src/commerce/studio-orders/studio-order.ts';
import { mintOrderedUuid, UNAMBIGUOUS_ALPHABET } from '../../../src/ground/base/random.ts';
import { engines } from '../../support/databases.ts';
import { startedStorage } from '../../support/storages.ts';
import { unrecorded } from '../../support/unrecorded.ts';

describe('seat codes', () => {
  it('use every character of the unambiguous alphabet at every place, and no other', () => {
    const seen = Array.from({ length: 8 }, () => new Set<string>());
    for (let count = 0; count < 3000; count += 1) {
      const code = mintSeatCode();
      assert.match(code, /^STUDIO-.{4}-.{4}$/);
      for (const [index, character] of [...code.slice(7).replace('-', '')].entries()) seen[index]!.add(character);
    }
    assert.equal(UNAMBIGUOUS_ALPHABET, 'ABCDEFGHJKMNPQRSTUVWXYZ23456789');
    for (const characters of seen)
      assert.equal([...characters].sort().join(''), [...UNAMBIGUOUS_ALPHABET].sort().join(''));
  });

  it('are the same in any case and with blanks around them', () => {
    assert.equal(canonicalSeatCode('\t studio-abcd-EFGH\n'), 'STUDIO-ABCD-EFGH');
  });
});

describe('identifiers that sort by time', () => {
  it('sort in the order they were made, within one millisecond, too', () => {
    const now = Date.UTC(2026, 0, 31);
    const made = Array.from({ length: 10_000 }, (_, index) => mintOrderedUuid(now + Math.floor(index / 5000)));
    assert.deepEqual(made.toSorted(), made);
    for (const each of made) assert.match(each, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  });
});

for (const engine of engines)
  describe(`issuing seats on ${engine}`, () => {
    const storage = startedStorage(engine);

    /** A source of the codes STUDIO-0, STUDIO-1 and so on, in the given order. */
    const codesOf = (numbers: readonly number[]) => {
      const left = [...numbers];
      return () => `STUDIO-${left.shift()}`;
    };

    it('replaces codes that any order already has, and keeps the seat numbers', async () => {
      await storage.transaction((tx) => issueSeats(unrecorded(tx), 'one', 3, codesOf([0, 1, 2])));
      const issued = await storage.transaction((tx) =>
        issueSeats(unrecorded(tx), 'two', 4, codesOf([1, 5, 2, 5, 0, 5, 6, 1, 7])),
      );
      assert.deepEqual(
        issued.map(({ seatNumber }) => seatNumber),
        [1, 2, 3, 4],
      );
      assert.equal(new Set(issued.map(({ code }) => code)).size, 4);
      assert.equal(issued[1]!.code, 'STUDIO-5');
      const kept = await storage.read((sql) => listSeats(sql, 'one'));
      assert.deepEqual(
        kept.map(({ code, seatNumber }) => [code, seatNumber]),
        [
          ['STUDIO-0', 1],
          ['STUDIO-1', 2],
          ['STUDIO-2', 3],
        ],
      );
    });
  });
