/** The words that a test shares with a part of the code. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SharedWords } from './shared-words.ts';

it('are compared by their beginnings, and rare ones count most', () => {
  const words = new SharedWords(
    new Map([
      ['seats.test.ts', 'the seats of a license end after 90 seconds'],
      ['keys.test.ts', 'the keys of a license are rotated, and the license stays'],
      ['sales.test.ts', 'the license is sold'],
    ]),
  );
  const order = (part: string) =>
    ['seats', 'keys', 'sales'].toSorted(
      (one, other) => words.likeness(`${other}.test.ts`, part) - words.likeness(`${one}.test.ts`, part),
    );
  assert.equal(order('function rotateKey(licenseKey: string)')[0], 'keys');
  assert.equal(order('const SEAT_MS = 90_000;')[0], 'seats');
  assert.equal(order('license.wasSold')[0], 'sales');
  assert.equal(words.likeness('sales.test.ts', 'nothing of it'), 0);
});
