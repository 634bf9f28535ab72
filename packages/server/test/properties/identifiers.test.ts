/** Identifiers reveal the time and order in which things were made, and nothing about their number. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { mintOrderedUuid, mintRequestId } from '../../src/ground/base/random.ts';

/** The 32 bits of an ordered UUID that count within a millisecond. */
function countOf(uuid: string): number {
  const digits = uuid.replaceAll('-', '');
  return Number.parseInt(digits.slice(13, 16) + digits.slice(17, 22), 16);
}

/** Milliseconds that no other run has used; within a run, the count continues. */
let unused = Date.UTC(2030, 0, 1);
const nextMillisecond = () => (unused += 1);

describe('an ordered UUID', () => {
  it('sorts by its millisecond, and within one by the order in which it was made, however they are mixed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 15 }), { maxLength: 200 }), (offsets) => {
        const start = nextMillisecond();
        unused += 15;
        const made = offsets.map((offset, position) => ({ offset, position, uuid: mintOrderedUuid(start + offset) }));
        const inOrder = made.toSorted((one, other) => one.offset - other.offset || one.position - other.position);
        const byUuid = made.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
        assert.deepEqual(byUuid, inOrder);
      }),
    );
  });

  it('of a fraction of a millisecond is refused: it would sort after every later one', () => {
    assert.throws(() => mintOrderedUuid(284.566), RangeError);
  });

  it('is a version 7 UUID with its time in front', () => {
    fc.assert(
      fc.property(fc.nat({ max: 253_402_300_799_999 }), (now) => {
        const uuid = mintOrderedUuid(now);
        assert.match(uuid, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
        assert.equal(Number.parseInt(uuid.slice(0, 13).replace('-', ''), 16), now);
      }),
    );
  });

  it('starts each millisecond at a random count, so two ids do not reveal the number between them', () => {
    const starts = Array.from({ length: 400 }, () => countOf(mintOrderedUuid(nextMillisecond())));
    const isHigher = starts.slice(1).map((count, position) => count > starts[position]!);
    const higher = isHigher.filter(Boolean).length;
    // Of 399 random comparisons, fewer than 100 or more than 299 fall one way less than once in 10^20 runs.
    assert.ok(higher > 100 && higher < 299, `${higher} of 399 starts are higher than the one before`);
    assert.ok(new Set(starts).size > 390);
    const spread = starts.filter((count) => count >= 2 ** 30).length;
    assert.ok(spread > 100 && spread < 299, `${spread} of 400 starts are in the upper half`);
  });

  it('counts in random steps within a millisecond', () => {
    const now = nextMillisecond();
    const counts = Array.from({ length: 400 }, () => countOf(mintOrderedUuid(now)));
    const steps = new Set(counts.slice(1).map((count, position) => count - counts[position]!));
    assert.ok(steps.size > 200, `${steps.size} different steps`);
    assert.ok(Math.min(...steps) >= 1);
  });
});

describe('a request id', () => {
  const isRandom = (made: readonly string[], position: number): boolean => {
    const same = made.filter((id, index) => index > 0 && id[position] === made[index - 1]![position]).length;
    // 1 in 64 is expected, 78 of 4,999; a counter's higher digits would agree in nearly all.
    return same < 200;
  };

  it('is the time and then all chance: of two of one moment no character of it is the same more often than chance has it', () => {
    const moment = nextMillisecond();
    const made = Array.from({ length: 5_000 }, () => mintRequestId(moment));
    assert.equal(new Set(made).size, made.length);
    for (const id of made) assert.match(id, /^[\w-]{14}$/);
    for (let position = 7; position < 14; position += 1) assert.ok(isRandom(made, position), `character ${position}`);
  });

  it('sorts by its millisecond', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 41 }), fc.integer({ min: 1, max: 2 ** 40 }), (moment, later) => {
        assert.ok(mintRequestId(moment) < mintRequestId(moment + later));
      }),
    );
  });
});
