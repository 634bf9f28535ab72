/** The comparison of two versions finds every planted difference, and lets generated values and additions pass. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Comparison, type WireAnswer } from '../../scripts/lockstep/comparison.ts';
import type { DeclaredDifference } from '../../scripts/lockstep/declared-differences.ts';
import { Twins } from '../../scripts/lockstep/twins.ts';

const ONE = 'K7QWM-2MNPR-9XHTB-V4CDE-6WFGJ';
const TWO = 'T3BNW-8KHQC-5ZRVA-M7XDP-2FJYE';
const THREE = 'A3BNW-8KHQC-5ZRVA-M7XDP-2FJYE';
const FOUR = 'B3BNW-8KHQC-5ZRVA-M7XDP-2FJYE';
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': '0MvGbn-Qx3k9Zt' };

function answer(body: unknown, changed: Partial<WireAnswer> = {}): WireAnswer {
  return { status: 200, headers: HEADERS, body: typeof body === 'string' ? body : JSON.stringify(body), ...changed };
}

/** Compares pairs of answers in order, as a run does; returns the place of the first difference of each pair. */
function placesOf(pairs: readonly (readonly [WireAnswer, WireAnswer])[], declared: readonly DeclaredDifference[] = []) {
  const comparison = new Comparison(new Twins(), declared);
  const places = pairs.map(([here, beside]) => comparison.difference('/getLicense', { here, beside })?.place ?? null);
  return { places, comparison };
}

describe('the comparison of two versions', () => {
  it('pairs generated values, and finds one that is swapped for another', () => {
    const { places } = placesOf([
      [answer({ key: ONE }), answer({ key: TWO })],
      [answer({ key: THREE }), answer({ key: FOUR })],
      [answer({ text: `Moved to ${ONE}.` }), answer({ text: `Moved to ${TWO}.` })],
      [answer({ text: `Moved to ${ONE}.` }), answer({ text: `Moved to ${FOUR}.` })],
      [answer({ key: ONE }), answer({ key: ONE })],
    ]);
    assert.deepEqual(places, [null, null, null, 'body.text', 'body.key']);
  });

  it('pairs nothing by answers that do not agree', () => {
    const { places } = placesOf([
      [answer({ key: ONE, status: 'active' }), answer({ key: FOUR, status: 'revoked' })],
      [answer({ key: ONE }), answer({ key: TWO })],
    ]);
    assert.deepEqual(places, ['body.status', null]);
  });

  it('finds another text, number, type or length of a list', () => {
    const { places } = placesOf([
      [answer({ error: 'License not found' }), answer({ error: 'No license found' })],
      [answer({ limit: 2 }), answer({ limit: 3 })],
      [answer({ limit: 2 }), answer({ limit: '2' })],
      [answer({ limit: null }), answer({ limit: 0 })],
      [answer({ list: [{ at: 1 }, { at: 2 }] }), answer({ list: [{ at: 1 }] })],
      [answer({ list: [{ at: 1 }] }), answer({ list: [{ at: 2 }] })],
    ]);
    assert.deepEqual(places, ['body.error', 'body.limit', 'body.limit', 'body.limit', 'body.list[]', 'body.list[].at']);
  });

  it('lets entries of one moment change places, and no others', () => {
    const [opened, revoked] = [
      { id: ONE, at: 1, type: 'opened' },
      { id: TWO, at: 1, type: 'revoked' },
    ];
    const [openedBeside, revokedBeside] = [
      { ...opened, id: THREE },
      { ...revoked, id: FOUR },
    ];
    const { places } = placesOf([
      [answer({ list: [opened, revoked] }), answer({ list: [revokedBeside, openedBeside] })],
      [answer({ key: ONE }), answer({ key: THREE })],
      [answer({ list: [opened, revoked] }), answer({ list: [revokedBeside, { ...openedBeside, at: 2 }] })],
      [answer({ list: [opened, revoked] }), answer({ list: [revokedBeside, { ...openedBeside, type: 'closed' }] })],
    ]);
    assert.deepEqual(places, [null, null, 'body.list[].id', 'body.list[].id']);
  });

  it('pairs nothing of entries of one moment that differ in their ids alone', () => {
    const entries = (...ids: string[]) => answer({ list: ids.map((id) => ({ id, at: 1, type: 'opened' })) });
    const { places } = placesOf([
      [entries(ONE, TWO), entries(THREE, FOUR)],
      [answer({ key: ONE }), answer({ key: FOUR })],
      [entries(ONE, TWO), entries(THREE, FOUR)],
      [answer({ key: TWO }), answer({ key: FOUR })],
    ]);
    assert.deepEqual(places, [null, null, null, 'body.key']);
  });

  it('lets a page end between entries of one moment, and finds other entries there', () => {
    const page = (entry: object) => answer({ list: [entry], nextCursor: 'after it' });
    const [opened, revoked] = [
      { id: ONE, at: 1, type: 'opened', level: 1 },
      { id: TWO, at: 1, type: 'revoked', level: 1 },
    ];
    const { places, comparison } = placesOf([
      [page(opened), page(revoked)],
      [page(opened), page({ ...opened, id: THREE, level: 2 })],
      [answer({ list: [opened] }), answer({ list: [{ ...revoked, id: THREE }] })],
      [page(opened), page({ ...opened, id: THREE })],
    ]);
    assert.deepEqual(places, [null, 'body.list[].level', 'body.list[].type', null]);
    assert.equal(comparison.meant, 1);
  });

  it('lets events of one license change places, but their numbers stay', () => {
    const event = (type: string, licenseNumber: number, licenseKey = 'key') => ({ licenseKey, licenseNumber, type });
    const events = (...all: ReturnType<typeof event>[]) => answer({ list: all.map((each) => ({ at: 1, ...each })) });
    const history = (...all: ReturnType<typeof event>[]) =>
      answer({ list: all.map((each) => ({ at: 1, event: each })) });
    const { places } = placesOf([
      [events(event('refund', 8), event('fraud', 7)), events(event('fraud', 8), event('refund', 7))],
      [history(event('refund', 8), event('fraud', 7)), history(event('fraud', 8), event('refund', 7))],
      [events(event('refund', 8), event('fraud', 6)), events(event('fraud', 8), event('refund', 7))],
      [events(event('refund', 8), event('fraud', 7, 'b')), events(event('fraud', 8, 'b'), event('refund', 7))],
    ]);
    assert.deepEqual(places, [null, null, 'body.list[].licenseNumber', 'body.list[].licenseKey']);
  });

  it('compares lists of ids in any order, and pairs none of them', () => {
    const { places } = placesOf([
      [answer({ violationIds: [ONE, THREE] }), answer({ violationIds: [TWO, FOUR] })],
      [answer([{ id: ONE }, { id: THREE }]), answer([{ id: FOUR }, { id: TWO }])],
      [answer({ violationIds: [ONE, THREE] }), answer({ violationIds: [TWO, FOUR] })],
      [answer({ violationIds: [ONE] }), answer({ violationIds: [TWO] })],
      [answer({ violationIds: [ONE] }), answer({ violationIds: [FOUR, TWO] })],
    ]);
    assert.deepEqual(places, [null, null, null, 'body.violationIds', 'body.violationIds']);
  });

  it('pairs nothing of entries that are meant to differ', () => {
    const declared = [{ path: /^\/getLicense$/, place: /^body\.list/, reason: 'the list has further entries' }];
    const pairs = [
      [answer({ list: [{ id: ONE, type: 'opened' }] }), answer({ list: [{ id: FOUR, type: 'revoked' }] })],
      [answer({ key: ONE }), answer({ key: TWO })],
    ] as const;
    assert.deepEqual(placesOf(pairs, declared).places, [null, null]);
  });

  it('pairs nothing of such entries of one moment, either', () => {
    const declared = [{ path: /^\/getLicense$/, place: /\.by$/, reason: 'names are hidden' }];
    const list = (by: string, ...ids: string[]) =>
      answer({ list: ids.map((id, index) => ({ id, at: 1, type: index === 0 ? 'opened' : 'revoked', by })) });
    const pairs = [
      [list('nobody', ONE, THREE), list('Ada', TWO, FOUR)],
      [answer({ key: ONE }), answer({ key: FOUR })],
    ] as const;
    assert.deepEqual(placesOf(pairs, declared).places, [null, null]);
  });

  it('finds a missing field, another order of fields, and another form of the text', () => {
    const { places } = placesOf([
      [answer({ key: ONE }), answer({ key: TWO, email: 'ada@example.com' })],
      [answer({ one: 1, two: 2 }), answer({ two: 2, one: 1 })],
      [answer('{"one":1}'), answer('{ "one": 1 }')],
      [answer('<h1>One</h1>'), answer('<h1>Two</h1>')],
    ]);
    assert.deepEqual(places, ['body.email', 'body (order)', 'body', 'body']);
  });

  it('finds another status, and a header that is missing or another', () => {
    const { places } = placesOf([
      [answer({}, { status: 400 }), answer({}, { status: 404 })],
      [answer({}, { headers: {} }), answer({}, { headers: { 'retry-after': '60' } })],
      [answer({}, { headers: { 'retry-after': '61' } }), answer({}, { headers: { 'retry-after': '60' } })],
    ]);
    assert.deepEqual(places, ['status', 'header retry-after', 'header retry-after']);
  });

  it('counts additions: fields, headers, and words of a refusal', () => {
    const [more, fewer] = ['type must be one of a, b, c', 'type must be one of a, c'];
    const { places, comparison } = placesOf([
      [answer({ key: ONE, countries: [] }), answer({ key: TWO })],
      [answer({}, { headers: { etag: '"1"' } }), answer({}, { headers: {} })],
      [answer({ error: more }), answer({ error: fewer })],
      [answer({ error: fewer }), answer({ error: more })],
    ]);
    assert.deepEqual(places, [null, null, null, 'body.error']);
    assert.deepEqual(Object.fromEntries(comparison.additions), {
      '/getLicense body.countries': 1,
      '/getLicense header etag': 1,
      '/getLicense body.error: b': 1,
    });
  });

  it('lets declared differences pass at their place and with their values alone', () => {
    const { places, comparison } = placesOf(
      [
        [answer({ error: 'New' }), answer({ error: 'Old' })],
        [answer({ error: 'Newer' }), answer({ error: 'Old' })],
        [answer({ text: 'New' }), answer({ text: 'Old' })],
      ],
      [{ path: /^\/getLicense$/, place: /^body\.error$/, values: { here: /^New$/, beside: /^Old$/ }, reason: 'meant' }],
    );
    assert.deepEqual(places, [null, 'body.error', 'body.text']);
    assert.deepEqual(Object.fromEntries(comparison.declaredMet), { meant: 1 });
  });
});
