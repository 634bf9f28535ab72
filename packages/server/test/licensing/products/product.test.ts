import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isActive, statusAfter } from '../../../src/licensing/products/product.ts';

describe('the status of a product after a write', () => {
  for (const [present, given, expected] of [
    ['live', {}, 'live'],
    ['unlisted', {}, 'unlisted'],
    ['archived', {}, 'archived'],
    ['live', { active: true }, 'live'],
    ['unlisted', { active: true }, 'unlisted'],
    ['archived', { active: true }, 'live'],
    ['live', { active: false }, 'archived'],
    ['unlisted', { active: false }, 'archived'],
    ['archived', { active: false }, 'archived'],
    ['archived', { status: 'unlisted' }, 'unlisted'],
    ['live', { status: 'unlisted', active: false }, 'unlisted'],
    ['live', { status: 'archived', active: true }, 'archived'],
  ] as const)
    it(`${present} and ${JSON.stringify(given)} give ${expected}`, () => {
      assert.equal(statusAfter(present, given), expected);
    });

  it('makes the legacy flag false for archived products only', () => {
    assert.deepEqual([isActive('live'), isActive('unlisted'), isActive('archived')], [true, true, false]);
  });
});
