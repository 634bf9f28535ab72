/** Values as the console shows them: times, keys, CSV. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runBounded } from '../../src/actions/run-bounded.ts';
import { amountText, counted } from '../../src/parts/count-words.ts';
import { countryName } from '../../src/parts/country-words.ts';
import { csvOf, csvText } from '../../src/parts/csv-text.ts';
import { moneyText } from '../../src/parts/figures.ts';
import { shortKey } from '../../src/parts/key-text.ts';
import { englishOf } from '../../src/parts/locale.ts';
import { daysUntil, dayText, momentText, pastTime, relativeTime, sinceText } from '../../src/parts/time-words.ts';

const NOW = Date.parse('2027-03-10T12:00:00.000Z');

describe('times', () => {
  const cases = [
    ['2027-03-10T11:59:30.000Z', 'just now'],
    ['2027-03-10T11:57:00.000Z', '3 minutes ago'],
    ['2027-03-10T09:59:00.000Z', '2 hours ago'],
    ['2027-03-09T11:00:00.000Z', '1 day ago'],
    ['2027-01-28T12:00:00.000Z', '41 days ago'],
    ['2026-11-10T12:00:00.000Z', '3 months ago'],
    ['2027-03-10T12:00:30.000Z', 'in a moment'],
    ['2027-03-11T13:00:00.000Z', 'in 1 day'],
    ['2027-03-22T13:00:00.000Z', 'in 12 days'],
    ['2029-06-01T00:00:00.000Z', 'in 2 years'],
    ['2028-06-01T00:00:00.000Z', 'in 14 months'],
  ] as const;
  it('never lie ahead where they are past, although clocks differ by a moment', () => {
    const ahead = new Date(NOW + 900).toISOString();
    assert.deepEqual([relativeTime(ahead, NOW), pastTime(ahead, NOW)], ['in a moment', 'just now']);
    const before = new Date(NOW - 120_000).toISOString();
    assert.equal(pastTime(before, NOW), relativeTime(before, NOW));
  });

  for (const [at, said] of cases) it(`say "${said}" of ${at}`, () => assert.equal(relativeTime(at, NOW), said));

  it('name no calendar day for a span of hours', () => {
    // A Wednesday at 01:00 in Berlin.
    const night = Date.parse('2027-03-10T00:00:00.000Z');
    assert.equal(relativeTime('2027-03-08T01:00:00.000Z', night), '1 day ago', 'a Monday at 02:00');
    assert.equal(relativeTime('2027-03-11T22:00:00.000Z', night), 'in 1 day', 'a Thursday at 23:00');
  });

  for (const timeZone of ['UTC', 'Europe/Berlin', 'Asia/Tokyo', 'America/Los_Angeles'])
    it(`are a day of the week after "since" only if they are less than six days ago (${timeZone})`, () => {
      const since = (hours: number) => sinceText(new Date(NOW - hours * 3_600_000).toISOString(), NOW, timeZone);
      const weekday = (hours: number) =>
        new Date(NOW - hours * 3_600_000).toLocaleDateString('en-GB', { weekday: 'long', timeZone });
      assert.match(since(23), /^\d\d:\d\d /);
      for (const hours of [24, 60, 6 * 24 - 1]) {
        assert.equal(since(hours), weekday(hours));
        assert.notEqual(since(hours), weekday(0));
      }
      for (const hours of [6 * 24, 7 * 24 - 1, 8 * 24]) assert.match(since(hours), /^\d+ \w+ 2027$/);
    });

  it('are shown as days in the zone of the reader', () => {
    assert.equal(dayText('2027-03-10T23:30:00.000Z', 'UTC'), '10 Mar 2027');
    assert.equal(dayText('2027-03-10T23:30:00.000Z', 'Europe/Berlin'), '11 Mar 2027');
    assert.equal(dayText('2027-03-10T23:59:59.999Z', 'Europe/Berlin'), '10 Mar 2027', 'the end of that day in UTC');
  });

  it('name their zone in sentences', () => {
    const at = '2027-03-10T23:30:00.000Z';
    assert.equal(momentText(at, 'Asia/Tokyo'), '11 Mar 2027, 08:30 GMT+9');
    assert.equal(momentText(at, 'America/Los_Angeles'), '10 Mar 2027, 15:30 GMT-8');
  });

  it('count whole days, negative when past', () => {
    assert.equal(daysUntil('2027-03-12T13:00:00.000Z', NOW), 2);
    assert.equal(daysUntil('2027-03-10T11:00:00.000Z', NOW), -1);
  });
});

describe('the language', () => {
  it("is the English of the reader's browser, or British", () => {
    assert.equal(englishOf(['de-DE', 'en-US', 'en']), 'en-US');
    for (const languages of [['de-DE', 'de'], ['ar-EG'], ['en'], ['en-u-nu-arab'], []])
      assert.equal(englishOf(languages), 'en-GB');
  });
});

describe('money', () => {
  it('is shown in units of its currency, or as the shop sent it', () => {
    assert.equal(moneyText(4900, 'eur'), '€49.00');
    assert.equal(moneyText(4900, 'jpy'), 'JP¥4,900');
    assert.equal(moneyText(4900, 'no currency'), '4,900 NO CURRENCY');
    assert.equal(moneyText(4900, null), '49.00');
    assert.equal(moneyText(4900, ''), '49.00');
    // An amount with decimals is in whole units already.
    assert.equal(moneyText(49.5, 'eur'), '49.5 EUR');
    assert.equal(amountText(4900, 'eur'), '4,900 EUR');
    assert.equal(amountText(-49.95, null), '-49.95');
  });
});

describe('keys', () => {
  it('are shortened to their first and last group, or their ends', () => {
    assert.equal(shortKey('GX2UF-JZVXX-7B8MJ-TA48W-5PWPX'), 'GX2UF … 5PWPX');
    assert.equal(shortKey('0123456789abcdef0123'), '012345 … 0123');
    assert.equal(shortKey('SHORT-KEY'), 'SHORT-KEY');
  });
});

describe('CSV', () => {
  it('quotes values with commas, quotes and line breaks', () => {
    assert.equal(csvText(['a', 'b'], [['x,y', 'say "hi"\n']]), 'a,b\r\n"x,y","say ""hi""\n"\r\n');
  });

  it("turns no customer's text into a formula, and leaves numbers unchanged", () => {
    const text = csvText(['v'], [['=1+1'], ['+49'], ['-2'], ['@me'], ['\tx'], [-2], [null]]);
    assert.equal(text, "v\r\n'=1+1\r\n'+49\r\n'-2\r\n'@me\r\n'\tx\r\n-2\r\n\r\n");
  });

  for (const [typed, shown] of [
    ['Ada;=1+1', "Ada;'=1+1"],
    ['Ada\n=1+1', '"Ada\n\'=1+1"'],
    ['Ada\r\n@me', '"Ada\r\n\'@me"'],
    ['Ada\t+49', "Ada\t'+49"],
    ['＝1+1', "'＝1+1"],
    ['＋49', "'＋49"],
    ['－2', "'－2"],
    ['＠me', "'＠me"],
    [' =1+1', "' =1+1"],
    ['Ada; "=1+1', '"Ada;\' ""=1+1"'],
    ['a=b; c-d', 'a=b; c-d'],
  ] as const)
    it(`makes no formula of ${JSON.stringify(typed)}, in whatever language a spreadsheet parts cells`, () => {
      assert.equal(csvText(['v'], [[typed]]), `v\r\n${shown}\r\n`);
    });
});

describe('entries as CSV', () => {
  it('have a column for each field, in the order in which the fields appear', () => {
    const entries = [
      { id: 'a', count: 2, isOpen: true },
      { id: 'b', by: { name: 'Ada', key: null }, tags: ['x', 'y'], steps: [1, { two: 2 }] },
    ];
    assert.equal(
      csvOf(entries),
      'id,count,isOpen,by.name,by.key,tags,steps\r\na,2,true,,,,\r\nb,,,Ada,,x y,"[1,{""two"":2}]"\r\n',
    );
  });

  it('turn neither a name of a field nor a text within one into a formula', () => {
    const entries = [{ '=1+1': '=2+2', within: { '@me': ['=3+3', 'x'] } }];
    assert.equal(csvOf(entries), "'=1+1,within.@me\r\n'=2+2,'=3+3 x\r\n");
  });
});

describe('many calls', () => {
  it('are sent only so many at once, and each once', async () => {
    let now = 0;
    let most = 0;
    const done: number[] = [];
    await runBounded(
      4,
      Array.from({ length: 30 }, (_, index) => index),
      async (item) => {
        most = Math.max(most, ++now);
        await new Promise(setImmediate);
        done.push(item);
        now--;
      },
    );
    assert.equal(most, 4);
    assert.deepEqual(
      done.sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => index),
    );
  });
});

describe('words', () => {
  it('agree with their number', () => {
    assert.deepEqual(
      [0, 1, 2].map((count) => counted(count, 'machine')),
      ['0 machines', '1 machine', '2 machines'],
    );
    assert.match(counted(1200, 'country', 'countries'), /^1\D?200 countries$/);
  });

  it('name a country, and leave other letters unchanged, such as those for a hidden origin', () => {
    for (const code of ['T1', 'ZZZ', '']) assert.equal(countryName(code), code);
    assert.notEqual(countryName('DE'), 'DE');
  });
});
