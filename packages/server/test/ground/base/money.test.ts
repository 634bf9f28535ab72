import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { moneyText } from '../../../src/ground/base/money.ts';

describe('an amount of money', () => {
  it('is shown in the units of its currency', () => {
    assert.equal(moneyText(4900, 'eur'), '€49.00');
    assert.equal(moneyText(1999, 'USD'), 'US$19.99');
    assert.equal(moneyText(500, 'JPY'), 'JP¥500');
    assert.match(moneyText(1250, 'KWD'), /^KWD\s1\.250$/);
  });

  it('stays as it was sent without a whole number of a known currency', () => {
    assert.equal(moneyText(49.5, 'eur'), '49.5 eur');
    assert.equal(moneyText(4900, ''), '4900');
    assert.equal(moneyText(4900, 'points'), '4900 points');
    assert.equal(moneyText(2 ** 60, 'eur'), `${2 ** 60} eur`);
  });
});
