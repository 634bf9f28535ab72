import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fields, parseJson, UnknownShape } from '../../../../src/commerce/connectors/sources/fields.ts';
import { minorUnitsOf } from '../../../../src/commerce/connectors/sources/money.ts';

const of = (value: unknown) => new Fields({ value }, 'data');
const isUnknown = (act: () => unknown) => assert.throws(act, (error) => error instanceof UnknownShape);

describe('a field of what a seller sends', () => {
  it('is named by its path when it is not as expected, and its value is not', () => {
    const nested = parseJson('{"data":{"items":[{"id":1},{"id":{"secret":1}}]}}');
    const read = () =>
      nested
        .object('data')
        .list('items')
        .map((item) => item.id('id'));
    assert.throws(read, /^UnknownShape: data\.items\[1\]\.id$|data\.items\[1\]\.id/);
  });

  it('is a text of 1 to 255 characters', () => {
    assert.equal(of('x'.repeat(255)).text('value').length, 255);
    for (const value of ['', 'x'.repeat(256), 7, null, undefined, {}]) isUnknown(() => of(value).text('value'));
    assert.equal(of('').maybeText('value'), null);
    isUnknown(() => of('x'.repeat(256)).maybeText('value'));
  });

  it('is an id as text or as number, and 0 is none', () => {
    assert.equal(of(12).id('value'), '12');
    assert.equal(of('12').id('value'), '12');
    assert.equal(of(0).maybeId('value'), null);
    for (const value of [1.5, -1, 2 ** 53, true]) isUnknown(() => of(value).id('value'));
  });

  it('is a whole number within exact bounds', () => {
    assert.equal(of('-12').whole('value'), -12);
    for (const value of [1.5, 1e16, '1e3', '', 'x', Number.NaN]) isUnknown(() => of(value).whole('value'));
  });

  it('is a moment with or without a zone, and no day that is not in the calendar of machines', () => {
    const moment = Date.UTC(2027, 0, 4, 9, 30);
    for (const value of ['2027-01-04T09:30:00', '2027-01-04 09:30:00', '2027-01-04T10:30:00.000000+01:00'])
      assert.equal(of(value).moment('value'), moment);
    for (const value of ['2027-01-04', 'soon', '2027-13-04T09:30:00Z', '0001-01-01T00:00:00Z', 5])
      isUnknown(() => of(value).moment('value'));
    isUnknown(() => of(1e13).seconds('value'));
  });

  it('is an address or nothing: buyers type them', () => {
    assert.equal(of(' zoe@example.com\n').email('value'), 'zoe@example.com');
    for (const value of ['zoe', 'a@b@c', 'a b@c', 'a\u0000@b', `${'x'.repeat(320)}@b.co`, 5, null])
      assert.equal(of(value).email('value'), null);
  });

  it('is a language of a locale', () => {
    for (const [value, language] of [
      ['de-AT', 'de'],
      ['pt_BR', 'pt'],
      ['auto', null],
      ['', null],
      [7, null],
    ])
      assert.equal(of(value).language('value'), language);
  });

  it('is a list of up to 1,000 objects', () => {
    assert.equal(of([{}, {}]).list('value').length, 2);
    for (const value of [{}, [1], Array.from({ length: 1001 }, () => ({}))]) isUnknown(() => of(value).list('value'));
  });
});

describe('the JSON of a seller', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  it('is nested up to 64 deep', () => {
    assert.ok(parseJson(nested(64)).has('a'));
    isUnknown(() => parseJson(nested(65)));
    isUnknown(() => parseJson('['.repeat(100_000)));
  });

  it('may have brackets in its texts', () => {
    assert.equal(parseJson(JSON.stringify({ a: `\\"${'['.repeat(200)}` })).text('a').length, 202);
  });
});

describe('an amount with decimals', () => {
  it('is counted in the smallest unit of its currency', () => {
    const amounts = [
      ['49.9', 'EUR', 4990],
      ['49', 'EUR', 4900],
      ['-49.00', 'USD', -4900],
      ['500', 'JPY', 500],
      ['500.4', 'JPY', 500],
      ['1.2345', 'KWD', 1235],
      ['0.005', 'EUR', 1],
      ['19.999', 'EUR', 2000],
      ['-0.001', 'EUR', 0],
    ] as const;
    for (const [decimal, currency, units] of amounts) assert.equal(minorUnitsOf(decimal, currency), units, decimal);
    isUnknown(() => minorUnitsOf('999999999999999', 'EUR'));
  });
});
