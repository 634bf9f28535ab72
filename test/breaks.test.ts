/** The breaks that `npm run mutants` makes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { breaksOf, broken } from './breaks.ts';

/** Each break of a source: its kind, and the line that it changes. */
function brokenLines(source: string): readonly string[] {
  return breaksOf(source).map((each) => {
    const lines = broken(source, each).split('\n');
    return `${each.kind}: ${lines[each.line - 1]?.trim()}`;
  });
}

describe('a break', () => {
  it('changes a comparison, a condition or a logical operator', () => {
    assert.deepEqual(
      brokenLines("function rule(used: number) {\n  return used >= 5 && name !== 'ada' ? 'no' : 'yes';\n}"),
      [
        "condition: return !(used >= 5 && name !== 'ada') ? 'no' : 'yes';",
        "comparison: return used > 5 && name !== 'ada' ? 'no' : 'yes';",
        "logic: return used >= 5 || name !== 'ada' ? 'no' : 'yes';",
        "comparison: return used >= 5 && name === 'ada' ? 'no' : 'yes';",
      ],
    );
  });

  it('increases a bound by one, and doubles a time', () => {
    const source = 'const HOUR_MS = 60 * 60_000;\nconst field = Type.Integer({ minimum: 1, title: 2 });';
    assert.deepEqual(brokenLines(source), [
      'bound: const HOUR_MS = (60 * 60_000 * 2);',
      'bound: const field = Type.Integer({ minimum: (1 + 1), title: 2 });',
    ]);
  });

  it('leaves a lock out', () => {
    const source =
      "const sql = 'select id from license where id = $1 for update';\nawait lockLicense(tx, id);\nawait save(tx, id);";
    assert.deepEqual(brokenLines(source), ["lock: const sql = 'select id from license where id = $1';", 'lock: ;']);
  });

  it('is made neither in types nor in examples', () => {
    const source = 'type Limit = 1 extends number ? 2 : 3;\nconst endpoint = { example: { fields: { minimum: 1 } } };';
    assert.deepEqual(brokenLines(source), []);
  });
});
