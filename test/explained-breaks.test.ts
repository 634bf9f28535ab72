/** The breaks that no test can notice. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { breaksOf } from './breaks.ts';
import { EXPLAINED_BREAKS, explanationOf } from './explained-breaks.ts';
import { ROOT } from './files.ts';

describe('an explained break', () => {
  it('is a break of its line', () => {
    for (const [file, breaks] of Object.entries(EXPLAINED_BREAKS)) {
      const source = readFileSync(join(ROOT, file), 'utf8');
      const found = breaksOf(source).map((each) => ({ ...each, file }));
      for (const [explained, reason] of Object.entries(breaks)) {
        const alone = { [file]: { [explained]: reason } };
        assert.ok(
          found.some((each) => explanationOf(each, source, alone)),
          `${file} has no break: ${explained}`,
        );
      }
    }
  });

  it('is of one kind, of one line, of one file', () => {
    const source = 'const STEP = 5;\nconst LIMIT = 5;\n';
    const explained = { 'a.ts': { 'bound: const STEP = 5;': 'A size of steps.' } };
    assert.equal(explanationOf({ file: 'a.ts', kind: 'bound', line: 1 }, source, explained), 'A size of steps.');
    assert.equal(explanationOf({ file: 'a.ts', kind: 'bound', line: 2 }, source, explained), undefined);
    assert.equal(explanationOf({ file: 'a.ts', kind: 'logic', line: 1 }, source, explained), undefined);
    assert.equal(explanationOf({ file: 'b.ts', kind: 'bound', line: 1 }, source, explained), undefined);
  });
});
