/** Pasted lists, and the orders and ranges of the list of licenses. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runBounded } from '../../src/actions/run-bounded.ts';
import { undoOfChange } from '../../src/actions/undo-event.ts';
import type { Activation, License, LicenseSummary } from '../../src/api/contract.ts';
import { FILTERS, type FilterValues, filtersRequest } from '../../src/licenses/first-reads.ts';
import { idleAmong } from '../../src/licenses/idle-machines.ts';
import { inFile } from '../../src/licenses/in-file.ts';
import { limitsAfter, typedLimits } from '../../src/licenses/limits.ts';
import { changeOf, orderText, sortedBy, suggestedName } from '../../src/licenses/list-filters.ts';
import { linesIn } from '../../src/licenses/pasted-lines.ts';
import { licensesIn } from '../../src/licenses/pasted-list.ts';
import { pastedCounts } from '../../src/licenses/pasted-words.ts';
import { keptQuery } from '../../src/licenses/saved-views.ts';
import { changeOf as mailChange } from '../../src/mails/words.ts';
import { createdSpan, daysOf, rangeBetween, rangeChoices, spanOf } from '../../src/parts/day-range.ts';

const KEY = 'GX2UF-JZVXX-7B8MJ-TA48W-5PWPX';
const NOW = new Date(2027, 2, 10, 12).getTime();
const NONE = Object.fromEntries(FILTERS.map((name) => [name, ''])) as FilterValues;

describe('a pasted list', () => {
  it('is read with any separators, quotes, spaces and names beside the addresses', () => {
    assert.deepEqual(linesIn('ada@example.com\r\n\r\n  bob@example.com ; "eve@example.com",\tpi_1'), [
      'ada@example.com',
      'bob@example.com',
      'eve@example.com',
    ]);
    assert.deepEqual(linesIn('Ada Lovelace <ada@example.com>\nbob@example.com eve@example.com'), [
      'ada@example.com',
      'bob@example.com',
      'eve@example.com',
    ]);
    assert.deepEqual(linesIn(`'${KEY}'\n${KEY.replaceAll('-', ' ')}\n${KEY.replaceAll('-', '')}`), [
      KEY,
      KEY.replaceAll('-', ' '),
      KEY.replaceAll('-', ''),
    ]);
    assert.deepEqual(linesIn('pi_1, pi_2\npi_3'), ['pi_1', 'pi_2', 'pi_3']);
    assert.deepEqual(linesIn(' \n\t;\n'), []);
  });

  it('is read from columns of a spreadsheet: the keys, else the addresses, without titles', () => {
    const file = `Key,E-mail,Product\r\n${KEY},ada@example.com,tapehead\r\n`;
    assert.deepEqual(linesIn(file), [KEY]);
    assert.deepEqual(linesIn('E-mail\tProduct\nada@example.com\ttapehead'), ['ada@example.com']);
    for (const title of ['License key', 'license_key', 'Order number', 'Purchase ID', 'emails', 'Licence keys'])
      assert.deepEqual(linesIn(`${title}\npi_1`), ['pi_1'], title);
    assert.deepEqual(linesIn('number'), ['number']);
    assert.deepEqual(linesIn('pi_9\npi_1'), ['pi_9', 'pi_1']);
  });

  it('of 200 lines counts those that are found, unknown, repeated, or of several licenses', () => {
    const license = (key: string) => ({ key }) as LicenseSummary;
    const found = Array.from({ length: 179 }, (_, at) => ({ name: `a${at}`, licenses: [license(`k${at}`)] }));
    found[0]!.licenses.push(license('k179'), license('k1'));
    const unknown = Array.from({ length: 18 }, (_, at) => ({ name: `u${at}`, licenses: [] }));
    const lines = [...found, ...unknown];
    const counts = pastedCounts({ lines }, 200);
    assert.deepEqual(counts.sentences, [
      '179 lines found.',
      '18 unknown.',
      '3 repeated, which count once.',
      '1 has several licenses, all of which are selected.',
    ]);
    assert.deepEqual(
      counts.unknown,
      unknown.map(({ name }) => name),
    );
    assert.deepEqual([counts.licenses, licensesIn({ lines }).length], [180, 180]);
    const cut = pastedCounts({ lines: [{ name: 'a', licenses: [license('k')], isMore: true }] }, 1);
    assert.deepEqual(cut.sentences, ['1 line found.', '1 has more than 20, of which the newest 20 are selected.']);
  });
});

describe('the order and the ranges of the list', () => {
  const request = (values: Partial<FilterValues>) => filtersRequest({ ...NONE, ...values }, NOW);

  it('are part of the request, and unknown ones are ignored', () => {
    assert.deepEqual(request({ sort: 'oldest', status: 'active' }), { status: 'active', sort: 'oldest' });
    assert.deepEqual(request({ sort: 'expiry', status: 'active', product: 'p' }), {
      ...{ productId: 'p', status: 'active', sort: 'expiry' },
    });
    const [from, to] = [new Date(2027, 0, 5), new Date(2027, 0, 31, 23, 59, 59, 999)].map((day) => day.toISOString());
    assert.deepEqual(request({ created: '2027-01-05..2027-01-31' }), { createdFrom: from, createdTo: to });
    assert.deepEqual(request({ created: '2027-01-05..' }), { createdFrom: from });
    assert.deepEqual(request({ created: '..2027-01-31', country: 'DE' }), { country: 'DE', createdTo: to });
    assert.deepEqual(request({ created: '7' }), { createdFrom: new Date(2027, 2, 3).toISOString() });
    for (const created of ['..', 'soon', '2027-13-01..', '-1']) assert.deepEqual(request({ created }), {}, created);
    assert.deepEqual(request({ sort: 'address' }), {});
    assert.deepEqual(request({ email: 'ada@example.com' }), { email: 'ada@example.com' });
    assert.deepEqual(request({ email: 'ada@' }), { beginning: 'ada@' });
  });

  it('remove the filters that the service has no index of both for', () => {
    const removed = (change: Partial<FilterValues>, present: Partial<FilterValues>) =>
      Object.entries({ ...NONE, ...present, ...changeOf(change, present) })
        .filter(([, value]) => value !== '')
        .map(([name]) => name)
        .sort();
    assert.deepEqual(removed({ sort: 'expiry' }, { email: 'ada@example.com', status: 'active' }), ['sort', 'status']);
    assert.deepEqual(removed({ sort: 'expiry' }, { created: '7', view: 'threat-1' }), ['sort']);
    assert.deepEqual(removed({ sort: 'oldest' }, { created: '7', status: 'active' }), ['created', 'sort', 'status']);
    assert.deepEqual(removed({ sort: 'oldest' }, { email: 'ada', product: 'p' }), ['product', 'sort']);
    assert.deepEqual(removed({ email: 'ada' }, { status: 'active', product: 'p' }), ['email', 'product']);
    assert.deepEqual(removed({ email: 'ada@example.com' }, { status: 'active' }), ['email', 'status']);
    assert.deepEqual(removed({ email: 'ada@example.com' }, { sort: 'expiry' }), ['email']);
    assert.deepEqual(removed({ created: '7' }, { sort: 'expiry' }), ['created']);
    assert.deepEqual(removed({ created: '7' }, { country: 'DE' }), ['country', 'created']);
    assert.deepEqual(removed({ status: 'active' }, { email: 'ada' }), ['status']);
  });

  it('change with a press on the title of a column, and have words', () => {
    assert.deepEqual(sortedBy('expires', { sort: '' }), { sort: 'expiry' });
    assert.deepEqual(sortedBy('expires', { sort: 'expiry' }), { sort: '' });
    assert.deepEqual(sortedBy('created', { sort: '' }), { sort: 'oldest' });
    for (const sort of ['oldest', 'expiry']) assert.deepEqual(sortedBy('created', { sort }), { sort: '' });
    assert.equal(orderText(NONE), 'Licenses, the newest first');
    assert.equal(orderText({ ...NONE, sort: 'oldest' }), 'Licenses, the oldest first');
    assert.equal(orderText({ ...NONE, view: 'expiring-7' }), 'Licenses, the first to expire on top');
    assert.equal(orderText({ ...NONE, email: 'ada' }), 'Licenses, by e-mail address');
    const view = { ...NONE, created: '30', sort: 'oldest' };
    assert.equal(keptQuery(view), 'created=30&sort=oldest');
    assert.equal(suggestedName(view), 'Created in the last 30 days, Oldest first');
  });
});

describe('a range of days', () => {
  const noon = (day: number) => new Date(2027, 2, day, 12).toISOString();
  const midnight = (day: number) => new Date(2027, 2, day).toISOString();

  it('is the last days from the beginning of one, two days in whole, or moments', () => {
    assert.deepEqual(spanOf('7', NOW), { since: midnight(3), until: undefined });
    assert.deepEqual(spanOf('2027-03-10..2027-03-11'), { since: midnight(10), until: midnight(12) });
    assert.deepEqual(spanOf(`${noon(1)}..${noon(2)}`), { since: noon(1), until: noon(2) });
    for (const range of ['', '..', 'soon', '2027-13-01..', '-1', '12345'])
      assert.deepEqual(spanOf(range, NOW), { since: undefined, until: undefined }, range);
    assert.deepEqual(createdSpan('..2027-03-10'), {
      createdFrom: undefined,
      createdTo: new Date(2027, 2, 10, 23, 59, 59, 999).toISOString(),
    });
  });

  it('is shown as its days, and changed by one of them', () => {
    assert.equal(daysOf('7'), null);
    assert.equal(daysOf(''), null);
    assert.deepEqual(daysOf('..'), { from: '', to: '' });
    assert.deepEqual(daysOf('2027-03-10..'), { from: '2027-03-10', to: '' });
    assert.deepEqual(daysOf(`${midnight(10)}..${midnight(12)}`), { from: '2027-03-10', to: '2027-03-11' });
    assert.deepEqual(daysOf('soon..later'), { from: '', to: '' });
    assert.equal(rangeBetween('2027-03-10', ''), '2027-03-10..');
  });

  it('has a choice in the words of its list', () => {
    assert.deepEqual(
      rangeChoices({ what: 'Queued', lengths: [3] }).map(({ title }) => title),
      ['Any date', 'Queued in the last 3 days', 'Queued between two days'],
    );
    const values = (range: string) => rangeChoices({ what: 'Created' }, range).map(({ value }) => value);
    assert.deepEqual(values('30'), ['', '7', '30', '90', '..']);
    assert.deepEqual(values('14'), ['', '7', '30', '90', '14', '..']);
  });
});

describe('the filters of e-mails', () => {
  it('exclude a recipient together with a state or a license', () => {
    assert.deepEqual(mailChange({ to: 'ada@example.com' }), { state: '', license: '', to: 'ada@example.com' });
    assert.deepEqual(mailChange({ state: 'failed' }), { to: '', state: 'failed' });
    assert.deepEqual(mailChange({ license: KEY }), { to: '', license: KEY });
    for (const change of [{ days: '7' }, { state: '' }, { to: '' }]) assert.deepEqual(mailChange(change), change);
  });
});

describe('actions on many licenses', () => {
  const license = { key: KEY, licenseType: 'per-machine', maxMachines: 2, maxConcurrent: null } as License;

  it('change the limits that differ, and name the former ones', () => {
    assert.deepEqual(typedLimits('', ''), { given: null, wrong: {} });
    assert.equal(typedLimits('-1', '').given?.machines, -1);
    assert.deepEqual(Object.keys(typedLimits('0', 'x').wrong), ['machines', 'seats']);
    assert.deepEqual(limitsAfter(license, { machines: 5, seats: 9 }), {
      ...{ licenseKey: KEY, maxMachines: 5, wasMaxMachines: 2 },
    });
    assert.equal(limitsAfter(license, { machines: 2, seats: undefined }), null);
    const floating = { ...license, licenseType: 'floating', maxConcurrent: 3 } as License;
    assert.deepEqual(limitsAfter(floating, { machines: undefined, seats: 9 }), {
      ...{ licenseKey: KEY, maxConcurrent: 9, wasMaxConcurrent: 3 },
    });
  });

  it('free machines that were not seen, and none with a live session', () => {
    const machine = (days: number, sessionActive = false) =>
      ({ lastSeen: new Date(NOW - days * 86_400_000).toISOString(), sessionActive }) as Activation;
    const [old, fresh, live] = [machine(90), machine(89), machine(200, true)];
    assert.deepEqual(idleAmong([old, fresh, live], 90, NOW), [old]);
  });

  it('undo a note by deleting it', () => {
    const noted = { type: 'license.noted', licenseKey: KEY, id: 'evt_1', before: null, after: {} } as const;
    assert.deepEqual(undoOfChange(noted)?.request, { licenseKey: KEY, noteId: 'evt_1' });
  });

  it('stop before the next items, and leave those', async () => {
    const done: number[] = [];
    await runBounded(
      2,
      [1, 2, 3, 4, 5, 6],
      async (item) => void done.push(item),
      () => done.length >= 3,
    );
    assert.deepEqual(done, [1, 2, 3]);
  });

  it('show in the file when the time of a license begins', () => {
    const summary = { ...license, email: 'ada@example.com', expiresAt: null } as unknown as LicenseSummary;
    assert.equal(inFile({ ...summary, waiting: true }).Expires, 'From first activation');
    assert.equal(inFile(summary).Expires, null);
  });
});
