/** Changes, violations, seats and activity in words. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { byDay, dayTitle, FILTERS, requestOf } from '../../src/activity/filters.ts';
import { reasonChoices, refusalsRequest } from '../../src/activity/refusal-filters.ts';
import type { Event, ViolationOfLicense } from '../../src/api/contract.ts';
import { endsInText, peakText, poolText, refusedText } from '../../src/seats/words.ts';
import {
  actorText,
  changedFields,
  changesText,
  EVENT_GROUPS,
  eventSentence,
  type TellableEvent,
} from '../../src/sentences/events.ts';
import { fieldName, valueText } from '../../src/sentences/fields.ts';
import { REFUSAL_CODES, refusedName, refusedReason, repeatsText } from '../../src/sentences/refusals.ts';
import { evidenceSentence, machinesOf, severityText } from '../../src/sentences/violations.ts';
import { addressOf, contextOf, customersAmong, seenText } from '../../src/shell/palette-words.ts';
import {
  changeOfType,
  requestOf as inboxRequestOf,
  liftedText,
  mayLift,
  previewText,
  resolutionsOf,
} from '../../src/violations/requests.ts';

const contract = readFileSync(fileURLToPath(new URL('../../../server/contract.d.ts', import.meta.url)), 'utf8');
const listed = (type: string) => {
  const [, text = ''] = new RegExp(`export type ${type} = ([^;]*);`).exec(contract) ?? [];
  return [...text.matchAll(/'([^']+)'/g)].map(([, value = '']) => value);
};
const tell = (type: string, after: Event['after'], before: Event['before'] = null, productId: string | null = null) =>
  eventSentence({ type, after, before, productId } as TellableEvent);

describe('changes in words', () => {
  it('have a group for the filter', () => {
    const types = listed('EventType');
    assert.ok(types.length > 25);
    const grouped = EVENT_GROUPS.flatMap(({ types: own }) => own as readonly string[]);
    assert.equal(new Set(grouped).size, grouped.length);
    for (const type of types) assert.ok(grouped.includes(type), type);
    for (const { types: own } of EVENT_GROUPS) assert.ok(own.length <= 10);
  });

  it('name the author and the change', () => {
    assert.equal(
      tell('license.created', { email: 'ada@example.com' }, null, 'tapehead'),
      'A license was issued to ada@example.com for tapehead.',
    );
    assert.equal(tell('license.revoked', { reason: 'refund' }), 'A license was revoked because of a refund.');
    assert.equal(tell('license.revoked', { status: 'revoked' }), 'A license was revoked.');
    assert.equal(tell('license.expiring', { daysRemaining: 7 }), 'A license was due to expire in 7 days.');
    assert.equal(tell('license.expiring', { daysRemaining: 1 }), 'A license was due to expire in 1 day.');
    assert.match(
      tell('activation.created', { hostname: 'ada-desk', country: 'DE' }),
      /^ada-desk was activated in \w+\.$/,
    );
    assert.equal(tell('activation.created', { hostname: '' }), 'A machine was activated.');
    assert.equal(
      tell('violation.opened', { type: 'token_replay' }),
      'A violation was found: a token used by another machine.',
    );
    assert.equal(tell('something.newer_than_this', {}), 'something newer than this.');
    assert.ok(tell('license.noted', { text: 'x'.repeat(500) }).length < 200);
  });

  it('name the author', () => {
    const actor = (kind: Event['actor']['kind'], id: string | null, keyName: string | null) => ({ kind, id, keyName });
    assert.equal(actorText(actor('operator', null, null)), 'Operator');
    assert.equal(actorText(actor('operator', null, 'admin (Ada)')), 'admin (Ada)');
    assert.equal(actorText(actor('creator', 'ada', 'shop')), 'Creator ada, key "shop"');
    assert.equal(actorText(actor('client', null, null)), 'App');
    assert.equal(actorText(actor('storefront', null, null)), 'Storefront');
    assert.equal(actorText(actor('storefront', null, 'My shop')), 'My shop');
    assert.equal(actorText(actor('service', 'tidying', null)), 'Service (tidying)');
  });

  it('show the values before and after', () => {
    const event = { before: { maxMachines: 2, email: 'a@example.com' }, after: { maxMachines: -1 } };
    assert.equal(changesText(event), 'Machines allowed: 2 → no limit');
    assert.deepEqual(changedFields(event), [
      { name: 'Machines allowed', before: '2', after: 'no limit' },
      { name: 'E-mail address', before: 'a@example.com', after: null },
    ]);
    assert.equal(changesText({ before: null, after: { email: 'a@example.com' } }), '');
    const raised = { before: { type: 'machine_limit', severity: 1 }, after: { type: 'machine_limit', severity: 2 } };
    assert.equal(changesText(raised), 'Severity: 1 → 2');
    assert.equal(fieldName('somethingNewer'), 'Something newer');
    assert.equal(valueText('expiresAt', null), 'never');
    assert.equal(valueText('unlockedProducts', ['a', 'b']), 'a, b');
    assert.match(valueText('expiresAt', '2027-03-10T12:00:00.000Z'), /2027/);
  });
});

const violation = (change: Partial<ViolationOfLicense>): ViolationOfLicense => ({
  id: 'one',
  type: 'machine_limit',
  severity: 1,
  occurrences: 4,
  firstSeen: '2027-03-10T12:00:00.000Z',
  lastSeen: '2027-03-10T12:00:00.000Z',
  evidence: {},
  resolvedAt: null,
  licenseKey: 'KEY-1',
  email: 'ada@example.com',
  productId: 'tapehead',
  licenseStatus: 'active',
  ...change,
});
const machine = (hostname: string | undefined, fingerprint: string) => ({
  fingerprint,
  ...(hostname === undefined ? {} : { hostname }),
  lastSeen: '2027-03-10T12:00:00.000Z',
});

describe('violations in words', () => {
  it('describe the observation', () => {
    const say = (change: Partial<ViolationOfLicense>) => evidenceSentence(violation(change));
    assert.equal(
      say({ evidence: { limit: 2, machines: [machine("Ada's laptop", 'a')] } }),
      '"Ada\'s laptop" was refused 4 times: all 2 machines allowed were in use.',
    );
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => machine(name, name));
    assert.match(say({ evidence: { limit: 1, machines: many } }), /^"a", "b", "c" and 2 other machines were refused/);
    assert.match(
      say({ type: 'activation_rate', occurrences: 1, evidence: { machines: many } }),
      /refused once, last by "a"\./,
    );
    assert.equal(
      say({
        type: 'token_replay',
        occurrences: 2,
        evidence: { endpoint: '/validate', tokenOf: 'another license', machines: [machine(undefined, 'fp')] },
      }),
      '"fp" showed a token of another license twice when it was started.',
    );
    assert.match(
      say({ type: 'country_spread', evidence: { countries: ['DE', 'FR'], inOneDay: 2 } }),
      /, 2 of them in one day\.$/,
    );
    assert.equal(
      say({ type: 'refund', evidence: { reportedBy: 'storefront', purchaseId: 'tx-1', amount: -49, currency: 'eur' } }),
      'The payment was refunded. The storefront reported it for purchase tx-1 (amount -€0.49).',
    );
    assert.equal(say({ type: 'fraud', evidence: {} }), 'It was reported as fraud. An operator reported it.');
    assert.deepEqual(machinesOf(violation({})), []);
    assert.equal(severityText(4), 'Severe');
  });

  it('are resolved license by license, without those that are resolved already', () => {
    const all = [
      violation({ id: 'one' }),
      violation({ id: 'two', licenseKey: 'KEY-2', email: 'bo@example.com' }),
      violation({ id: 'three' }),
      violation({ id: 'four', resolvedAt: '2027-03-10T12:00:00.000Z' }),
    ];
    assert.deepEqual(
      resolutionsOf(all).map(({ email, request }) => [email, request]),
      [
        ['ada@example.com', { licenseKey: 'KEY-1', violationIds: ['one', 'three'] }],
        ['bo@example.com', { licenseKey: 'KEY-2', violationIds: ['two'] }],
      ],
    );
  });

  it('lift the revocation of a refund or fraud that is open, and are counted', () => {
    const open = { type: 'fraud', licenseStatus: 'revoked', resolvedAt: null } as const;
    assert.ok(mayLift(open) && mayLift({ ...open, type: 'refund' }));
    const others = [
      { type: 'chargeback' },
      { licenseStatus: 'active' },
      { resolvedAt: '2027-03-04T12:00:00.000Z' },
    ] as const;
    for (const more of others) assert.ok(!mayLift({ ...open, ...more }), JSON.stringify(more));
    assert.match(liftedText(1), /^The revocation of one license is lifted: /);
    assert.match(liftedText(1200), /^The revocations of 1,200 licenses are lifted: /);
  });

  it('predict the effect of resolving them', () => {
    const reply = (threatLevel: number, status: string) =>
      ({ threatLevel, license: { status } }) as Parameters<typeof previewText>[1];
    const preview = (before: 'active' | 'revoked', threatLevel: number, status: string) =>
      previewText({ status: before }, reply(threatLevel, status));
    assert.equal(preview('active', 0, 'active'), 'Nothing stays open. The license stays active.');
    assert.match(preview('active', 2, 'active'), /the most severe of level 2 of 4/);
    assert.match(preview('revoked', 0, 'active'), /The revocation is lifted: the license is active again\./);
    assert.match(preview('revoked', 4, 'revoked'), /stays revoked\./);
  });

  it('are asked for as the address says, those that are open first', () => {
    const none = { state: '', type: '', severity: '', product: '', license: '', days: '', sort: '' };
    assert.deepEqual(inboxRequestOf(none, ''), { limit: 50, open: true, disputes: false });
    assert.deepEqual(inboxRequestOf({ ...none, state: 'open' }, ''), { limit: 50, open: true });
    assert.deepEqual(inboxRequestOf({ ...none, state: 'disputes' }, ''), { limit: 50, open: true, disputes: true });
    assert.deepEqual(inboxRequestOf({ ...none, state: 'resolved', severity: '3', product: 'a' }, 'next'), {
      limit: 50,
      open: false,
      minimumSeverity: 3,
      productId: 'a',
      cursor: 'next',
    });
    assert.deepEqual(inboxRequestOf({ ...none, state: 'all', severity: '9', days: 'soon', sort: 'up' }, ''), {
      limit: 50,
    });
    assert.deepEqual(inboxRequestOf({ ...none, state: 'all', days: '2027-03-10..2027-03-10', sort: 'oldest' }, ''), {
      limit: 50,
      firstSeenFrom: new Date(2027, 2, 10).toISOString(),
      firstSeenTo: new Date(2027, 2, 10, 23, 59, 59, 999).toISOString(),
      sort: 'oldest',
    });
  });

  it('goes to the folder that has the chosen kind', () => {
    assert.deepEqual(changeOfType('refund', { state: '' }), { type: 'refund', state: 'disputes' });
    assert.deepEqual(changeOfType('fraud', { state: '' }), { type: 'fraud' });
    assert.deepEqual(changeOfType('fraud', { state: 'disputes' }), { type: 'fraud', state: '' });
    assert.deepEqual(changeOfType('refund', { state: 'all' }), { type: 'refund' });
    assert.deepEqual(changeOfType('', { state: 'disputes' }), { type: '' });
  });
});

describe('seats in words', () => {
  it('say how full a license is, and how often apps were refused', () => {
    assert.equal(peakText({ inUse: 2, peak: 4 }), 'The most in 30 days: 4.');
    assert.equal(peakText({ inUse: 2, peak: 2 }), null);
    assert.equal(poolText({ inUse: 2, limit: 5 }), '2 of 5 seats are in use.');
    assert.equal(poolText({ inUse: 1, limit: 5 }), '1 of 5 seats is in use.');
    assert.equal(poolText({ inUse: 5, limit: 5 }), 'All 5 seats are in use.');
    assert.equal(poolText({ inUse: 1, limit: 1 }), 'The one seat is in use.');
    assert.equal(poolText({ inUse: 3, limit: -1 }), '3 seats are in use, without a limit.');
    assert.equal(refusedText(0), null);
    assert.equal(refusedText(2), 'Apps were refused twice in the last hour.');
  });

  it('say in how long a seat becomes free', () => {
    const now = Date.parse('2027-03-10T12:00:00.000Z');
    const inText = (ms: number) => endsInText(new Date(now + ms).toISOString(), now);
    assert.equal(inText(-1), 'now');
    assert.equal(inText(20_500), '21 s');
    assert.equal(inText(9 * 60_000 + 59_000), '9 min');
    assert.equal(inText(61 * 60_000), '1 h 1 min');
  });
});

describe('the list of activity', () => {
  const none = { kind: '', actor: '', product: '', license: '', request: '', days: '' };

  it('is asked for as the address says', () => {
    assert.deepEqual(requestOf(none, ''), { limit: 50 });
    assert.deepEqual(requestOf({ ...none, kind: 'revoked', actor: 'operator', request: 'abc' }, 'evt_1'), {
      limit: 50,
      types: ['license.revoked', 'license.reinstated', 'license.replaced'],
      actor: 'operator',
      requestId: 'abc',
      cursor: 'evt_1',
    });
    assert.deepEqual(requestOf({ ...none, kind: 'activation.created' }, '').types, ['activation.created']);
    assert.deepEqual(requestOf({ ...none, days: 'nonsense..2027-99-99' }, ''), { limit: 50 });
  });

  it('takes days as days of the reader, the last one as a whole, and moments as they are', () => {
    const { since, until } = requestOf({ ...none, days: '2027-03-10..2027-03-10' }, '');
    assert.equal(since, new Date('2027-03-10T00:00:00').toISOString());
    assert.equal(until, new Date('2027-03-11T00:00:00').toISOString());
    const moment = '2027-03-10T12:00:00.000Z';
    assert.equal(requestOf({ ...none, days: `..${moment}` }, '').until, moment);
  });

  it('is divided by days', () => {
    const at = (day: number, hour: number) => ({ at: new Date(2027, 2, day, hour).toISOString() });
    const days = byDay([at(10, 23), at(10, 1), at(9, 12)]);
    assert.deepEqual(
      days.map(({ day, events }) => [day, events.length]),
      [
        ['2027-03-10', 2],
        ['2027-03-09', 1],
      ],
    );
    const now = new Date(2027, 2, 10, 12).getTime();
    assert.equal(dayTitle('2027-03-10', now), 'Today');
    assert.equal(dayTitle('2027-03-09', now), 'Yesterday');
    assert.match(dayTitle('2027-03-01', now), /2027/);
  });
});

describe('the list of refusals', () => {
  const none = { code: '', product: '', license: '', machine: '', days: '' };

  it('is asked for as the address says', () => {
    assert.deepEqual(refusalsRequest(none, ''), { limit: 50 });
    const moment = '2027-03-10T12:00:00.000Z';
    assert.deepEqual(
      refusalsRequest({ code: 'a,b', product: 'p', license: 'k', machine: 'm', days: `${moment}..${moment}` }, 'c'),
      {
        ...{ limit: 50, code: 'a,b', productId: 'p', licenseKey: 'k', machineFingerprint: 'm' },
        ...{ since: moment, until: moment, cursor: 'c' },
      },
    );
    const day = refusalsRequest({ ...none, days: '..2027-03-10' }, '');
    assert.equal(day.until, new Date('2027-03-11T00:00:00').toISOString());
  });

  it('has a choice for every kept code, and for one in the address', () => {
    const [, kept = ''] =
      /Only refusals with one of these codes: a comma-separated list of ([^.]*)\./.exec(contract) ?? [];
    const codes = kept
      .replaceAll('*', '')
      .split(',')
      .map((code) => code.trim());
    assert.equal(codes.length, 16);
    assert.deepEqual(new Set(REFUSAL_CODES), new Set(codes));
    for (const code of codes)
      assert.ok(
        reasonChoices('').some(({ value }) => value === code),
        code,
      );
    assert.equal(reasonChoices('machine_limit').length, reasonChoices('').length);
    assert.deepEqual(reasonChoices('wrong_product,machine_limit').at(-1), {
      value: 'wrong_product,machine_limit',
      title: 'wrong product, machine limit',
    });
  });

  it('describes the refusal, its reason and its period in words', () => {
    const at = '2027-03-10T12:00:00.000Z';
    const refusal = { hostname: null, machineFingerprint: null, code: 'machine_limit', details: { limit: 2 } };
    assert.equal(refusedName(refusal), 'An app');
    assert.equal(refusedName({ ...refusal, machineFingerprint: '0123456789' }), 'Machine 01234567');
    assert.equal(refusedName({ machineFingerprint: '0123', hostname: 'desk' }), 'desk');
    assert.equal(refusedReason(refusal), 'All machines of the license are in use. The limit was 2.');
    for (const code of REFUSAL_CODES) assert.match(refusedReason({ code, details: {} }), /^[A-Z].*\.$/);
    const later = '2027-03-10T12:12:00.000Z';
    assert.equal(repeatsText({ count: 3, firstAt: at, lastAt: later }), 'within 12 minutes');
    assert.equal(repeatsText({ count: 3, firstAt: at, lastAt: at }), '');
    assert.equal(repeatsText({ count: 1, firstAt: at, lastAt: later }), '');
  });
});

describe('a machine that the search found', () => {
  const hit = { kind: 'machine', licenseKey: 'KEY', id: 'a b', status: null } as const;

  it('leads to its license, and to "Why?" about it where it was only refused', () => {
    assert.equal(addressOf(hit), '/licenses/KEY');
    assert.equal(addressOf({ ...hit, status: 'refused' }), '/licenses/KEY?machine=a%20b');
  });
});

describe('a hit of the search', () => {
  const at = '2027-03-01T09:30:00.000Z';
  const now = Date.parse(at);
  const hit = { kind: 'license', title: 'ada@example.com', status: 'active', at, lastSeenAt: null } as const;

  it('says when its machines were seen last, or refused', () => {
    assert.equal(seenText(hit, now), 'never seen');
    assert.equal(seenText({ ...hit, lastSeenAt: '2027-02-26T09:30:00.000Z' }, now), 'seen 3 days ago');
    const machine = { ...hit, kind: 'machine', status: 'refused', at: '2027-03-01T07:30:00.000Z' } as const;
    assert.equal(seenText(machine, now), 'refused 2 hours ago');
    assert.equal(seenText({ ...hit, kind: 'product' }, now), '');
  });

  it('names its customer and product, unless they are its title', () => {
    const names = { email: 'ada@example.com', productId: 'tapehead' };
    assert.deepEqual(contextOf({ ...names, title: 'ada@example.com' }), [null, 'tapehead']);
    assert.deepEqual(contextOf({ ...names, title: 'tapehead' }), ['ada@example.com', null]);
  });
});

describe('licenses that the search found', () => {
  it('lead to each customer whose licenses were found by the address', () => {
    const hit = { kind: 'license', matchedBy: 'email', title: 'Ada@example.com' } as const;
    const hits = [hit, { ...hit, title: 'ada@example.com' }, { ...hit, title: 'bo@example.com' }];
    assert.deepEqual(customersAmong([...hits, { ...hit, matchedBy: 'key', title: 'cy@example.com' }]), [
      { email: 'ada@example.com', licenses: 2 },
      { email: 'bo@example.com', licenses: 1 },
    ]);
  });
});

describe('a request id that the search found', () => {
  it('leads to the activity of that request alone, by a filter that it has', () => {
    const [path, query] = addressOf({ kind: 'request', licenseKey: null, id: 'P7-D7zN', status: null }).split('?');
    assert.equal(path, '/activity');
    const [[name = '', value] = []] = [...new URLSearchParams(query)];
    assert.ok(
      FILTERS.some((filter) => filter === name),
      name,
    );
    assert.equal(value, 'P7-D7zN');
  });
});
