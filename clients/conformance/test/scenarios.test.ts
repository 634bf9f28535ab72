/** The scenarios and the page of behaviour agree. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { millisecondsOf } from '../durations.ts';
import { findLanguages, lackingPrograms } from '../languages.ts';
import { mustMatch } from '../matching.ts';
import { readRules, readScenarios } from '../scenario.ts';

const GROUPS = [
  'first run',
  'daily life',
  'refusals',
  'replaced keys',
  'grace',
  'clock',
  'files',
  'key rotation',
  'floating seats',
  'several processes',
  'storage that fails',
  'lying networks',
  'updates and features',
  'trials',
  'meters',
];

describe('the scenarios of clients', () => {
  const scenarios = readScenarios();
  const rules = readRules();

  it('are 150 at least, in every group', () => {
    assert.ok(scenarios.length >= 150, `${scenarios.length} scenarios`);
    assert.deepEqual([...new Set(scenarios.map(({ group }) => group))].sort(), [...GROUPS].sort());
  });

  it('hold each rule of the page, and no other', () => {
    assert.ok(rules.length > 80, `${rules.length} rules`);
    const held = new Set(scenarios.flatMap((scenario) => scenario.rules));
    assert.deepEqual(
      rules.filter((rule) => !held.has(rule)),
      [],
      'rules without a scenario',
    );
    assert.deepEqual(
      [...held].filter((rule) => !rules.includes(rule)),
      [],
      'rules that the page does not have',
    );
    assert.deepEqual(
      scenarios.filter((scenario) => scenario.rules.length === 0).map(({ name }) => name),
      [],
    );
  });

  it('have a name of their own', () => {
    const names = scenarios.map(({ group, name }) => `${group}: ${name}`);
    assert.equal(new Set(names).size, names.length);
  });
});

describe('the runner of clients', () => {
  it('reads durations', () => {
    assert.deepEqual(
      ['3d', '-1h30m', '250ms', '1y'].map(millisecondsOf),
      [259_200_000, -5_400_000, 250, 31_536_000_000],
    );
    for (const text of ['', '3', 'd', '3d ', '3w']) assert.throws(() => millisecondsOf(text));
  });

  it('fails a value that is not as expected', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    mustMatch({ a: { b: [1], c: 2 }, at: '2026-01-02T00:00:00.000Z' }, { a: { b: [1] }, at: { in: '1d' } }, now);
    for (const [value, expected] of [
      [{ a: 1 }, { a: 2 }],
      [{ a: 1 }, { b: '*' }],
      [{ at: null }, { at: { in: '1d' } }],
      ['2026-01-02T00:00:03.000Z', { in: '1d' }],
      [null, { a: 1 }],
      [[1, 2], [1]],
    ])
      assert.throws(() => mustMatch(value, expected, now), assert.AssertionError);
  });

  it('names the programs that a machine lacks', () => {
    const [reference] = findLanguages();
    assert.equal(reference?.name, 'javascript');
    assert.deepEqual(lackingPrograms({ ...reference!, needs: ['node', 'no-such-compiler'] }), ['no-such-compiler']);
  });
});
